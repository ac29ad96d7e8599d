"""The time in keys while the server's clock is set back, stands still and jumps, in one session, over real time."""

import csv
import itertools
import time
import uuid

import svg
from fault import Clock

WIDTH, HEIGHT = 960, 590
BROWN = "#8a5f00"  # legible orange

# Changes of the clock: after how many seconds, what, by how many seconds.
EVENTS = [(4, "set back", -5), (10, "stands still", 0), (13, "jumps ahead", 6), (17, "set back", -3)]
END = 22
STEP = 0.2

QUERY = ("SELECT concat_ws(',', extract(epoch FROM c), uuid_v7(), uuid_v7_at(c), uuid_v1()) "
         "FROM (SELECT clock_timestamp() AS c OFFSET 0) AS now")
HEADS = ["seconds", "clock", "uuid_v7()", "uuid_v7_at(clock)", "uuid_v1()"]


def measure(out, page):
    """Writes a row for each fifth of a second: the time since the start, the server's clock, and three keys."""
    from harness import Session  # pylint: disable=import-outside-toplevel
    clock, events = Clock(page), list(EVENTS)
    rows, offset = [], 0
    with Session() as session, open(out / "clock.csv", "w", encoding="utf-8", newline="") as file:
        session.value(QUERY)
        start = time.monotonic()
        for step in range(round(END / STEP) + 1):
            if events and step * STEP >= events[0][0] - STEP / 2:
                at, what, seconds = events.pop(0)
                time.sleep(max(0, start + at - STEP / 2 - time.monotonic()))
                if what == "stands still":
                    clock.stand_at(time.time_ns() + offset)
                    offset -= (events[0][0] - at) * 10**9
                else:
                    offset += seconds * 10**9
                    clock.be_off_by(offset)
            time.sleep(max(0, start + step * STEP - time.monotonic()))
            values = session.value(QUERY).split(",")
            rows.append([f"{time.monotonic() - start:.3f}", *values])
        clock.be_real()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([HEADS, *rows])


def load(folder):
    """The rows, with seconds as numbers and keys as UUIDs."""
    with open(folder / "clock.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [(float(row[0]), float(row[1]), *map(uuid.UUID, row[2:])) for row in rows]


def position(key):
    """Milliseconds, fraction and sequence of a key of uuid_v7() as one number, in 1/65,536 ms."""
    return key.int >> 80 << 16 | (key.int >> 64 & 0xFFF) << 4 | key.int >> 58 & 0xF


def seconds_of(key):
    return position(key) / 65536 / 1000


def sequences(rows):
    """The clock sequence of uuid_v1() at each row, counted from the first."""
    return [(row[4].clock_seq - rows[0][4].clock_seq) % 2**14 for row in rows]


def claims(folder):
    """Statements of the page about this picture, each with whether the data agree."""
    rows = load(folder)
    pairs = list(itertools.pairwise(rows))
    backs = sum(1 for _, what, _ in EVENTS if what == "set back")
    steps = [later - earlier for earlier, later in itertools.pairwise(sequences(rows))]
    return {
        "the clock was set back twice": sum(b[1] < a[1] for a, b in pairs) == backs,
        "the clock stood still": any(a[1] == b[1] for a, b in pairs),
        "the keys of uuid_v7() always rise": all(a[2].int < b[2].int for a, b in pairs),
        "where the clock is behind or still, by one step of 15 ns":
            {position(b[2]) - position(a[2]) for a, b in pairs if seconds_of(b[2]) - seconds_of(a[2]) < 1e-6} == {1},
        "keys made from the clock alone fall where it does":
            [b[3].int >> 80 < a[3].int >> 80 for a, b in pairs] == [b[1] < a[1] for a, b in pairs],
        "uuid_v1() raises its clock sequence by one at each set-back":
            [i for i, step in enumerate(steps) if step] == [i for i, (a, b) in enumerate(pairs) if b[1] < a[1]]
            and all(step in (0, 1) for step in steps),
    }


def mark_events(picture, panels):
    for at, what, seconds in EVENTS:
        x = panels[0].x(at - STEP / 2)
        for axes in panels:
            picture.line(x, axes.top, x, axes.top + axes.height, svg.FAINT, stroke_dasharray="2 4")
        picture.text(x + 5, panels[0].top + 10, f"{what} {abs(seconds)} s" if seconds else what, 12, fill=svg.FAINT)


def pieces(rows):
    """The rows between two set-backs or jumps, so that no line crosses a jump."""
    piece = [rows[0]]
    for earlier, later in itertools.pairwise(rows):
        if abs((later[1] - earlier[1]) - (later[0] - earlier[0])) > 1:
            yield piece
            piece = []
        piece.append(later)
    yield piece


def stairs(rows):
    """The clock sequence as a step function."""
    line = []
    for row, value in zip(rows, sequences(rows)):
        if line and line[-1][1] != value:
            line.append((row[0], line[-1][1]))
        line.append((row[0], value))
    return line


def draw(data, out):
    rows = load(data)
    start = rows[0][1]
    picture = svg.Picture(
        WIDTH, HEIGHT, "Keys while the clock is wrong",
        "Above, the time in keys over the time that passes, while the server's clock is set back by 5 seconds, stands "
        "still for 3, jumps ahead by 6 and is set back by 3. Keys made from the clock alone fall with it. The line of "
        "uuid_v7() never falls: it goes on level until the clock has caught up. Below, the clock sequence of uuid_v1() "
        "rises by one at each set-back.")
    picture.text(32, 38, "Keys while the clock is wrong", 20, weight="bold")
    axes = svg.Axes(picture, (74, 92, 862, 318), (0, END), (-2.5, 19.5))
    low = svg.Axes(picture, (74, 466, 862, 66), (0, END), (0, 2.6))
    seconds = [(value, str(value)) for value in range(0, END + 1, 2)]
    axes.frame("time in the key, s", [(value, "") for value, _ in seconds], [(n, str(n)) for n in range(0, 20, 4)])
    low.frame("clock sequence of uuid_v1(), counted from its first", seconds,
              [(n, f"+{n}" if n else "0") for n in range(3)], "seconds that have really passed")
    mark_events(picture, (axes, low))
    for piece in pieces(rows):
        axes.plot([(row[0], row[1] - start) for row in piece], svg.GREY, 1.5, stroke_dasharray="5 4")
    axes.dots([(row[0], seconds_of(row[3]) - start) for row in rows], 3, svg.ORANGE)
    axes.plot([(row[0], seconds_of(row[2]) - start) for row in rows], svg.BLUE, 3.5)
    low.plot(stairs(rows), svg.VERMILION, 3)
    # In the free space beside the lines.
    picture.text(axes.x(4.2), axes.y(5.4), "uuid_v7() never falls:", 14, fill=svg.BLUE, weight="bold")
    picture.text(axes.x(4.2), axes.y(4.35), "each key is 15 ns after the last", 12, fill=svg.BLUE)
    picture.text(axes.x(17.4), axes.y(10.9), "the clock, and keys", 14, fill=BROWN, weight="bold")
    picture.text(axes.x(17.4), axes.y(9.7), "made from it alone", 14, fill=BROWN, weight="bold")
    picture.write(out / "clock.svg")
