"""Compares the table of layouts with a server's values: layouts_test.py TABLE PAGE
TABLE is the folder of layouts.json. The server is that of libpq's variables and runs with test/shim/fault.c, whose
control page is PAGE, as only a clock that one sets tells what the bits of the time should be. Says ok or not ok for
each thing that is looked at."""

import itertools
import json
import pathlib
import random
import sys
import uuid

import layouts
from fault import Clock
from harness import Session, psql

VALUES = 10_000
SESSIONS = 60
INSTANTS = 64

# Maximum deviation of a count of even bits, in standard deviations: among some 600 counts, good bits exceed it in one
# run of 600 million.
LIMIT = 7

GREGORIAN = 12_219_292_800 * 10**9  # ns from 1582, the epoch of versions 1 and 6, to 1970
YEAR_5236, YEAR_10889 = 103_072_857_660, 281_474_976_710  # the last seconds since 1970 of versions 1 and 6, and of 7

GENERATORS = {"uuid_v1()": "uuid_v1()", "uuid_v6()": "uuid_v6()", "uuid_v7()": "uuid_v7()",
              "uuid_v7_cluster()": "uuid_v7_cluster()", "uuid_v8_node(node)": "uuid_v8_node(43690)"}
NAMED = {"uuid_v3(ns, name)": ("uuid_v3", uuid.uuid3), "uuid_v5(ns, name)": ("uuid_v5", uuid.uuid5)}


def number_of(text):
    return int(text.replace("-", ""), 16)


def text_of(number):
    return str(uuid.UUID(int=number))


def field_of(number, first, bits):
    return number >> (128 - first - bits) & ((1 << bits) - 1)


def bits_of(layout, *kinds):
    return [bit for _, part, first in layouts.parts(layout) if part["kind"] in kinds
            for bit in range(first, first + part["bits"])]


def time_of(layout, number):
    """The time assembled from its parts by the table."""
    return sum(field_of(number, first, part["bits"]) << part["from"]
               for _, part, first in layouts.parts(layout) if part["kind"] == "time")


def steps_of(layout, nanoseconds):
    """A time since 1970 as the version counts it: 1 and 6 in 100 ns since 1582, the others in 1/65,536 ms."""
    if layout["version"] in (1, 6):
        return (nanoseconds + GREGORIAN) // 100
    return nanoseconds * 65536 // 10**6


def wrong_fixed(layout, numbers):
    return [f"bits from {first} are not always {part['value']}" for _, part, first in layouts.parts(layout)
            if part["kind"] == "fixed" and any(field_of(n, first, part["bits"]) != part["value"] for n in numbers)]


def uneven(numbers, bits):
    """The bits that are not 1 as often as 0."""
    wrong = []
    for bit in bits:
        ones = sum(n >> (127 - bit) & 1 for n in numbers)
        z = (2 * ones - len(numbers)) / len(numbers) ** 0.5
        if abs(z) > LIMIT:
            wrong.append(f"bit {bit} is not random: z = {z:.1f}")
    return wrong


def changing(numbers, bits):
    """The bits that differ among the numbers."""
    return [bit for bit in bits if len({n >> (127 - bit) & 1 for n in numbers}) > 1]


def fields_of(layout, number):
    """The fields by name, from the table."""
    found, first = {}, 0
    for field in layout["fields"]:
        bits = sum(part["bits"] for part in field["parts"])
        found[field["name"]] = field_of(number, first, bits)
        first += bits
    return found


def inspected(numbers):
    """The fields by name, from uuid_inspect."""
    ids = ", ".join(f"'{text_of(number)}'" for number in numbers)
    lines = psql(f"SELECT (uuid_inspect(id)).fields FROM unnest(ARRAY[{ids}]::uuid[]) AS id").splitlines()
    return [{name: int(value, 16) for name, value in json.loads(line).items()} for line in lines]


def wrong_names(layout):
    """Sets one bit after the other and looks up its field."""
    base = layout["version"] << 76 | 2 << 62
    stamped = range(48, 52), range(64, 66)
    numbers = [base, *(base | 1 << (127 - bit) for bit in range(128) if not any(bit in bits for bits in stamped))]
    total = sum(part["bits"] for _, part, _ in layouts.parts(layout))
    wrong = [] if total == 128 else [f"{total} bits"]
    # As text, to compare the order, too.
    return wrong + [f"{text_of(number)} has {found}" for number, found in zip(numbers, inspected(numbers))
                    if str(found) != str(fields_of(layout, number))]


def instants(layout):
    """Times from 2026 to the version's end, in order, of all bits and to the nanosecond."""
    end = YEAR_5236 if layout["version"] in (1, 6) else YEAR_10889
    chance = random.Random(9562)
    return sorted(chance.randrange(1_800_000_000, end) * 10**9 + chance.randrange(10**9) for _ in range(INSTANTS))


def quiet_session():
    session = Session()
    # Suppresses the warning about a clock that jumps by centuries.
    session.send("SET client_min_messages = error;\n")
    return session


def at_instants(clock, layout, call):
    """Generates a value at each of the instants."""
    numbers = []
    with quiet_session() as session:
        session.value("SELECT 1")
        for instant in instants(layout):
            clock.stand_at(instant)
            numbers.append(number_of(session.value(f"SELECT {call}")))
        clock.be_real()
    return numbers


def at_once(clock, call):
    """Generates values of one session while the clock stands still."""
    with quiet_session() as session:
        session.value("SELECT 1")
        # After the instants, so that the server's tick is behind this clock, too.
        clock.stand_at((YEAR_5236 - 10**6) * 10**9 if "v7" not in call and "v8" not in call
                       else (YEAR_10889 - 10**6) * 10**9)
        ids = session.value(f"SELECT string_agg(id::text, ',' ORDER BY n) FROM (SELECT n, {call} AS id "
                            f"FROM generate_series(1, {VALUES}) AS n) AS made")
        clock.be_real()
    return [number_of(text) for text in ids.split(",")]


def wrong_times(layout, pairs):
    """Checks values against their expected times, which must have each bit of the time as 0 and as 1."""
    wrong = [f"{text_of(number)} has the time {time_of(layout, number):x}, not {steps:x}"
             for number, steps in pairs if time_of(layout, number) != steps]
    still = set(bits_of(layout, "time")) - set(changing([number for number, _ in pairs], range(128)))
    return wrong + [f"bit {bit} is not tested" for bit in sorted(still)]


def wrong_generator(clock, layout, call):
    timed = at_instants(clock, layout, call)
    wrong = wrong_times(layout, [(n, steps_of(layout, instant)) for n, instant in zip(timed, instants(layout))])
    numbers = at_once(clock, call)
    times = [time_of(layout, number) for number in numbers]
    if any(later - earlier != 1 for earlier, later in itertools.pairwise(times)):
        wrong.append("the time does not rise by one while the clock stands still")
    wrong += wrong_fixed(layout, timed + numbers) + uneven(numbers, bits_of(layout, "random"))
    wrong += [f"bit {bit} changes in a session" for bit in changing(numbers, bits_of(layout, "session", "given"))]
    if bits_of(layout, "session"):
        first = [number_of(psql(f"SELECT {call}").strip()) for _ in range(SESSIONS)]
        still = set(bits_of(layout, "session")) - set(changing(first, range(128)))
        wrong += [f"bit {bit} is the same in all sessions" for bit in sorted(still)]
    return wrong


def wrong_nodes(layout):
    first, bits = next((first, part["bits"]) for _, part, first in layouts.parts(layout) if part["kind"] == "given")
    nodes = [0, *(1 << i for i in range(bits)), (1 << bits) - 1]
    lines = psql(f"SELECT uuid_v8_node(n) FROM unnest(ARRAY{nodes}) AS n").split()
    return [f"{line} has not the node {node}" for node, line in zip(nodes, lines)
            if field_of(number_of(line), first, bits) != node]


def wrong_given_time(layout):
    """uuid_v7_at: its times are given in days and microseconds, which nothing rounds."""
    times = [divmod(instant // 1000, 86_400 * 10**6) for instant in instants(layout)]
    rows = ", ".join(f"({i}, {days}, {microseconds})" for i, (days, microseconds) in enumerate(times))
    lines = psql("SET timezone = 'UTC'; SELECT uuid_v7_at('1970-01-01Z'::timestamptz + make_interval(days => days) "
                 f"+ us * interval '1 microsecond') FROM (VALUES {rows}) AS t (i, days, us) ORDER BY i")
    # The first step of 1/4096 ms in the microsecond. The table has no sequence there.
    steps = [millisecond * 65536 - (-microsecond * 4096 // 1000) * 16 for millisecond, microsecond in
             (divmod(instant // 1000, 1000) for instant in instants(layout))]
    wrong = wrong_times(layout, list(zip(map(number_of, lines.split()), steps)))
    numbers = [number_of(line) for line in
               psql(f"SELECT uuid_v7_at('2026-01-01Z') FROM generate_series(1, {VALUES})").split()]
    return wrong + wrong_fixed(layout, numbers) + uneven(numbers, bits_of(layout, "random")) + [
        f"bit {bit} changes at one time" for bit in changing(numbers, bits_of(layout, "time"))]


def wrong_random(layout):
    numbers = [number_of(line) for line in psql(f"SELECT uuid_v4() FROM generate_series(1, {VALUES})").split()]
    return wrong_fixed(layout, numbers) + uneven(numbers, bits_of(layout, "random"))


def wrong_digest(layout, function, reference):
    lines = psql(f"SELECT {function}(uuid_namespace('dns'), 'name ' || n) "
                 f"FROM generate_series(1, {VALUES}) AS n").split()
    numbers = [number_of(line) for line in lines]
    wrong = [f"{line} is not that of another implementation" for n, line in enumerate(lines, 1)
             if line != str(reference(uuid.NAMESPACE_DNS, f"name {n}"))]
    return wrong[:3] + wrong_fixed(layout, numbers) + uneven(numbers, bits_of(layout, "given"))


def wrong_data(layout):
    given = [1 << (127 - bit) for bit in range(128)]
    array = ", ".join(f"'\\x{one:032x}'" for one in given)
    numbers = [number_of(line) for line in psql(f"SELECT uuid_v8(d) FROM unnest(ARRAY[{array}]::bytea[]) AS d").split()]
    base = number_of(psql("SELECT uuid_v8(decode(repeat('00', 16), 'hex'))").strip())
    changed = [bit for bit, number in enumerate(numbers) if number == base ^ given[bit]]
    wrong = [] if changed == bits_of(layout, "given") else [f"the bits given are {changed}"]
    return wrong + wrong_fixed(layout, numbers + [base])


def wrong_values(clock, layout, function):
    """Prints deviations of a function's values from the table."""
    if function in GENERATORS:
        wrong = wrong_generator(clock, layout, GENERATORS[function])
        return wrong + (wrong_nodes(layout) if function == "uuid_v8_node(node)" else [])
    if function in NAMED:
        return wrong_digest(layout, *NAMED[function])
    return {"uuid_v4()": wrong_random, "uuid_v7_at(time)": wrong_given_time,
            "uuid_v8(data)": wrong_data}[function](layout)


def say(name, wrong):
    print(f"not ok - {name}: {'; '.join(wrong[:3])}" if wrong else f"ok - {name}", flush=True)


def main():
    table, clock = layouts.load(pathlib.Path(sys.argv[1])), Clock(sys.argv[2])
    psql("CREATE EXTENSION uuidx")
    for layout in table:
        say(f"{layout['title']}: each bit belongs to the field that uuid_inspect() names", wrong_names(layout))
        for function in layout["functions"]:
            say(f"{function}: its bits are what the picture says", wrong_values(clock, layout, function))


if __name__ == "__main__":
    main()
