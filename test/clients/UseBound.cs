// Reads times, one a line, and prints the bound of each.
using System;
using System.Globalization;

static class UseBound
{
    // [doc]
    /// <summary>Returns the lowest version 7 UUID at or after a time.</summary>
    static Guid UuidV7Min(DateTimeOffset time)
    {
        long milliseconds = time.AddTicks(9999).ToUnixTimeMilliseconds();
        return new Guid($"{milliseconds >> 16:x8}-{milliseconds & 0xffff:x4}-7000-8000-000000000000");
    }
    // [end]

    static void Main()
    {
        for (string line; (line = Console.ReadLine()) != null;)
            Console.WriteLine(UuidV7Min(DateTimeOffset.Parse(line, CultureInfo.InvariantCulture)));
    }
}
