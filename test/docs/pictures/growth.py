"""The cost of a batch of rows in a growing table, by the kind of its key: time, index, and write-ahead log."""

import csv
import itertools
import statistics

import svg

WIDTH, HEIGHT = 960, 430
BATCHES, ROWS, REPETITIONS = 20, 250_000, 3

# Label and colour by the names of test/bench/keys.py.
KINDS = {"core gen_random_uuid()": ("random (version 4)", svg.VERMILION), "uuid_v7()": ("uuid_v7()", svg.BLUE),
         "bigint identity": ("bigint identity", svg.GREY)}
HEADS = ["repetition", "key", "rows", "ms", "index bytes", "wal bytes"]


def measure(out):
    """Writes a row for each batch of each kind; the kinds take turns, so that other work on the machine affects all."""
    # pylint: disable=import-outside-toplevel
    from harness import Session, rotated, rounds
    from inserts import insert
    from keys import KEYS, make_tables
    keys = [key for key in KEYS if key.name in KINDS]
    statement = insert(ROWS)
    with open(out / "growth.csv", "w", encoding="utf-8", newline="") as file, Session() as session:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADS)
        for repetition in rounds("growth", REPETITIONS):
            make_tables(keys)
            for batch in range(BATCHES):
                for key in rotated(keys, repetition + batch):
                    before = session.value("SELECT pg_current_wal_insert_lsn()")
                    ms = session.milliseconds(statement(key, batch * ROWS))
                    writer.writerow([repetition + 1, key.name, (batch + 1) * ROWS, f"{ms:.0f}",
                                     session.value(f"SELECT pg_relation_size('{key.table}_pkey')"),
                                     session.value(f"SELECT pg_current_wal_insert_lsn() - '{before}'")])


def load(folder):
    """By kind, a list of (rows, milliseconds of each repetition, median bytes of the index, of the log)."""
    with open(folder / "growth.csv", encoding="utf-8", newline="") as file:
        rows = [[row[1], *map(int, row[2:])] for row in list(csv.reader(file))[1:]]
    kinds = {}
    for name in KINDS:
        sizes = sorted({row[1] for row in rows if row[0] == name})
        batches = [[row for row in rows if row[0] == name and row[1] == size] for size in sizes]
        kinds[name] = [(batch[0][1], [row[2] for row in batch], statistics.median(row[3] for row in batch),
                        statistics.median(row[4] for row in batch)) for batch in batches]
    return kinds


def ratio_of(kinds, to="uuid_v7()", name="core gen_random_uuid()"):
    """The ratio between the times of two kinds: the median over all batches."""
    return statistics.median(one / other for batch, base in zip(kinds[name], kinds[to])
                             for one, other in zip(batch[1], base[1]))


def claims(folder):
    """Statements of the page about this picture, each with whether the data agree."""
    kinds = load(folder)
    random, ours, bigint = (kinds[name] for name in KINDS)
    log = [sum(batch[3] for batch in batches) for batches in (random, ours, bigint)]
    return {
        f"{BATCHES} batches of each kind, {REPETITIONS} times":
            all(len(batches) == BATCHES and all(len(batch[1]) == REPETITIONS for batch in batches)
                for batches in kinds.values()),
        "random keys take more than twice the time of uuid_v7()": ratio_of(kinds) > 2,
        "uuid_v7() takes less than 1.5 times the time of bigint": ratio_of(kinds, "bigint identity", "uuid_v7()") < 1.5,
        "the index of random keys is a fifth larger, or more": random[-1][2] > 1.2 * ours[-1][2],
        "that of uuid_v7() is half as large again as that of bigint, or less": ours[-1][2] < 1.5 * bigint[-1][2],
        "random keys write the most log, bigint the least": log[0] > log[1] > log[2],
    }


def total(values):
    return list(itertools.accumulate(values))


def panels(kinds):
    """For each panel its title, the lines and the single points by kind."""
    rows = {name: [batch[0] / 1e6 for batch in batches] for name, batches in kinds.items()}
    seconds = {name: [statistics.median(batch[1]) / 1000 for batch in batches] for name, batches in kinds.items()}
    single = {name: [(batch[0] / 1e6, ms / 1000) for batch in batches for ms in batch[1]]
              for name, batches in kinds.items()}
    index = {name: [batch[2] / 2**20 for batch in batches] for name, batches in kinds.items()}
    log = {name: total(batch[3] / 2**20 for batch in batches) for name, batches in kinds.items()}
    return [(title, {name: list(zip(rows[name], values[name])) for name in kinds}, beside)
            for title, values, beside in ((f"{ROWS:,} rows more: seconds", seconds, single),
                                          ("index of the key: MB", index, {}),
                                          ("write-ahead log in all: MB", log, {}))]


def draw(data, out):
    kinds = load(data)
    ratio, sizes = ratio_of(kinds), [kinds[name][-1][2] for name in KINDS]
    rows = BATCHES * ROWS
    picture = svg.Picture(
        WIDTH, HEIGHT, "Tables that grow, by the kind of their key",
        f"Three panels over the rows of a table, up to {rows:,}, for random keys of version 4, for uuid_v7() and for "
        f"bigint identity: the seconds that {ROWS:,} more rows take, the size of the primary key's index, and the "
        "write-ahead log. "
        f"Random keys take {ratio:.1f} times the time of uuid_v7(), and {sizes[0] / sizes[1]:.2f} times its index; "
        f"bigint takes {ratio_of(kinds, name='bigint identity'):.1f} times its time.")
    picture.text(32, 38, "A table that grows, by the kind of its key", 20, weight="bold")
    picture.legend(32, 66, KINDS.values())
    picture.text(WIDTH - 26, 66, f"in a turn, random keys take {ratio:.1f} times as long as uuid_v7()", 13, "end",
                 svg.FAINT)
    for i, (title, lines, beside) in enumerate(panels(kinds)):
        most = max(y for points in [*lines.values(), *beside.values()] for _, y in points)
        scale = svg.ticks(most)
        axes = svg.Axes(picture, (62 + 310 * i, 116, 252, 230), (0, rows / 1e6), (0, scale[-1][0]))
        axes.frame(title, [(n, str(n)) for n in range(round(rows / 1e6) + 1)], scale, "million rows")
        for name, points in beside.items():
            axes.dots(points, 1.6, KINDS[name][1], fill_opacity=0.4)
        for name, points in lines.items():
            axes.plot(points, KINDS[name][1], 3)
    picture.text(32, HEIGHT - 16, f"Lines are medians of {REPETITIONS} repetitions, dots the single ones. "
                 f"{svg.conditions(data)}", 11, fill=svg.FAINT)
    picture.write(out / "growth.svg")
