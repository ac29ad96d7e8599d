"""Places of new keys in an index: random ones, and those of uuid_v7()."""

import csv

import svg

WIDTH, HEIGHT = 960, 400
BEFORE, NEW = 100_000, 500

KINDS = {"gen_random_uuid()": ("random keys (version 4)", svg.VERMILION), "uuid_v7()": ("uuid_v7()", svg.BLUE)}
HEADS = ["key", "number", "share of the keys below it"]

# Their final places.
QUERY = """
CREATE TEMP TABLE made AS SELECT n, {key} AS id FROM generate_series(1, {all}) AS n;
SELECT '{key}', n - {before}, round(place::numeric, 4)
FROM (SELECT n, percent_rank() OVER (ORDER BY id) AS place FROM made) AS places WHERE n > {before} ORDER BY n;
"""


def measure(out, _):
    from harness import psql  # pylint: disable=import-outside-toplevel
    with open(out / "places.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADS)
        for key in KINDS:
            lines = psql(QUERY.format(key=key, before=BEFORE, all=BEFORE + NEW)).splitlines()
            writer.writerows(line.split("|") for line in lines)


def load(folder):
    """By kind, the number of each new key with its place between 0 and 1."""
    with open(folder / "places.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return {name: [(int(row[1]), float(row[2])) for row in rows if row[0] == name] for name in KINDS}


def claims(folder):
    """Statements of the page about this picture, each with whether the data agree."""
    random, ours = ([place for _, place in points] for points in load(folder).values())
    tenths = {int(place * 10) for place in random}
    return {
        f"{NEW} keys of each kind": len(random) == len(ours) == NEW,
        "random keys go to every tenth of the index": tenths >= set(range(10)),
        "each key of uuid_v7() goes to the end": ours == sorted(ours) and min(ours) > BEFORE / (BEFORE + NEW) - 0.001,
    }


def draw(data, out):
    kinds = load(data)
    picture = svg.Picture(
        WIDTH, HEIGHT, "Where new keys go in the index",
        f"Two panels with a dot for each of {NEW} keys that are added to an index of {BEFORE:,}. Random keys lie "
        "scattered over the whole index; keys of uuid_v7() all lie at its end.")
    picture.text(32, 38, f"Where the next {NEW} keys go, in an index of {BEFORE:,}", 20, weight="bold")
    for i, (name, (label, colour)) in enumerate(KINDS.items()):
        axes = svg.Axes(picture, (74 + 456 * i, 96, 400, 240), (0, NEW), (0, 1))
        axes.frame(label, [(n, str(n)) for n in range(0, NEW + 1, 100)],
                   [(0, "first"), (0.5, "middle"), (1, "last")], "new keys, in the order they were made")
        axes.dots(kinds[name], 2.6, colour, fill_opacity=0.75)
    picture.write(out / "places.svg")
