# Reads times, one a line, and prints the bound of each.
defmodule Bound do
  # [doc]
  # Returns the lowest version 7 UUID at or after a DateTime.
  def uuid_v7_min(time) do
    milliseconds = time |> DateTime.add(999, :microsecond) |> DateTime.to_unix(:millisecond)
    hex = milliseconds |> Integer.to_string(16) |> String.downcase() |> String.pad_leading(12, "0")
    String.slice(hex, 0, 8) <> "-" <> String.slice(hex, 8, 4) <> "-7000-8000-000000000000"
  end
  # [end]
end

for line <- IO.stream(:stdio, :line) do
  {:ok, time, 0} = line |> String.trim() |> DateTime.from_iso8601()
  IO.puts(Bound.uuid_v7_min(time))
end
