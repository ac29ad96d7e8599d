"""Draws the benchmark's tables as SVG files."""

import pathlib

import svg

WIDTH = 960
COLOURS = {
    "uuid_v7()": svg.BLUE, "uuid_v7_cluster()": svg.SKY, "core uuidv7()": svg.VERMILION, "pg_uuidv7": svg.ORANGE,
    "core gen_random_uuid()": svg.PURPLE, "bigint identity": svg.GREY, "uuid_v4()": svg.GREEN,
}
# For lines of other names.
OTHERS = svg.BLUE, svg.VERMILION, svg.GREEN, svg.PURPLE, svg.ORANGE, svg.SKY, svg.GREY
BAR, ROW = 12, 32


def lines_of(table, key, x, y, unit=1):
    """The points of each line by the value in the key's column, x in units."""
    lines = {}
    for record in table.records():
        lines.setdefault(record[key], []).append((record[x] / unit, record[y]))
    return lines


def coloured(names):
    """Pairs of a name and its colour."""
    return [(name, COLOURS.get(name) or OTHERS[i % len(OTHERS)]) for i, name in enumerate(names)]


def draw_panel(picture, box, title, lines, x_label, powers=False):
    """A line with dots for each name; with powers, x is logarithmic with a tick at each power of ten."""
    xs, ys = zip(*(point for points in lines.values() for point in points))
    y_ticks = svg.ticks(max(ys))
    if powers:
        x_ticks = [(10**n, f"{10**n:,}") for n in range(1, 12) if min(xs) <= 10**n <= max(xs)]
        x_range = min(xs), max(xs)
    else:
        x_ticks = svg.ticks(max(xs))
        x_range = 0, x_ticks[-1][0]
    axes = svg.Axes(picture, box, x_range, (0, y_ticks[-1][0]), powers)
    axes.frame(title, x_ticks, y_ticks, x_label)
    # The first line on top.
    for name, colour in reversed(coloured(lines)):
        axes.plot(lines[name], colour)
        axes.dots(lines[name], 3.5, colour)


def draw_insert(table, picture):
    times = lines_of(table, "key", "rows", "s in all", 1e6)
    sizes = lines_of(table, "key", "rows", "index MB", 1e6)
    bottom = picture.legend(32, 66, coloured(times))
    draw_panel(picture, (62, bottom + 50, 390, 250), "INSERT: seconds", times, "million rows")
    draw_panel(picture, (542, bottom + 50, 390, 250), "index of the primary key: MB", sizes, "million rows")
    picture.height = bottom + 350


def draw_growth(table, picture, columns, labels):
    """One panel of lines over powers of ten. Arguments: columns of key, x and y, labels of x and y."""
    lines = lines_of(table, *columns)
    bottom = picture.legend(32, 66, coloured(lines))
    draw_panel(picture, (74, bottom + 50, 840, 280), labels[1], lines, labels[0], powers=True)
    picture.height = bottom + 380


def draw_bars(picture, box, title, names, series, form):
    """A row for each name with a bar for each of series, (label, colour, values); none if the value is None. Returns
    where the rows end."""
    left, top, width = box
    scale = svg.ticks(1.15 * max(value for _, _, values in series for value in values if value is not None))
    axes = svg.Axes(picture, (left, top, width, ROW * len(names)), (0, scale[-1][0]), (len(names), 0))
    axes.frame(title, scale, [])
    for i, name in enumerate(names):
        picture.text(left - 8, axes.y(i + 0.5) + 4, name, 12, "end")
        for j, (_, colour, values) in enumerate(series):
            if values[i] is not None:
                y = axes.y(i + 0.5) + (j - len(series) / 2) * BAR
                picture.rect(left, y, axes.x(values[i]) - left, BAR - 1, colour)
                picture.text(axes.x(values[i]) + 4, y + BAR - 3, format(values[i], form), 10, fill=svg.FAINT)
    return top + ROW * len(names)


def rate(nanoseconds, least=1):
    """Million a second; None if the figure is in the noise, as its inverse would dwarf all others."""
    return 1000 / nanoseconds if least >= 1 else None


def draw_throughput(table, picture, names):
    records = [record for record in table.records() if record["function"] in names]
    series = [("net of an empty function (no bar: in the noise)", svg.BLUE,
               [rate(record["net ns"], record["least"]) for record in records]),
              ("gross, within count(…)", svg.ORANGE, [rate(record["gross ns"]) for record in records])]
    picture.legend(32, 66, [(label, colour) for label, colour, _ in series])
    picture.height = 30 + draw_bars(picture, (252, 116, 670), "million values a second",
                                    [record["function"] for record in records], series, ".3g")


def draw_clients(table, picture):
    records = table.records()
    counts = sorted({record["clients"] for record in records})
    labels = [("average", svg.BLUE, "average ms"), ("95 %", svg.ORANGE, "95 % ms")]
    picture.legend(32, 66, [(label, colour) for label, colour, _ in labels])
    share = (WIDTH - 32) / len(counts)
    for i, count in enumerate(counts):
        chosen = [record for record in records if record["clients"] == count]
        bottom = draw_bars(picture, (170 + share * i, 116, share - 180), f"latency in ms, {count} clients",
                           [record["key"] for record in chosen],
                           [(label, colour, [record[column] for record in chosen]) for label, colour, column in labels],
                           ".3f")
    picture.height = bottom + 30


def draw(tables, makers, directory):
    """Draws those of the tables, by name, that have a plot."""
    plots = {
        "functions": ("functions", "Values a second of each generating function",
                      lambda table, picture: draw_throughput(table, picture, makers)),
        "insert_growth": ("insert", "INSERT and the size of the primary key, by the kind of key", draw_insert),
        "clients": ("clients", "Latency of single-row INSERTs", draw_clients),
        "flat": ("flat", "Cost of a value by the values in a statement", lambda table, picture: draw_growth(
            table, picture, ("function", "n", "net ns"),
            ("values in a statement", "ns a value, net of an empty function"))),
        "time_queries_growth": ("time_queries", "Query for one day by the size of the table",
                                lambda table, picture: draw_growth(
                                    table, picture, ("predicate", "rows", "ms"), ("rows of the table", "ms"))),
    }
    for name, (file, title, drawer) in plots.items():
        if name in tables:
            names = dict.fromkeys(str(row[0]) for row in tables[name].rows)
            picture = svg.Picture(WIDTH, 0, title, f"{title}, for {', '.join(names)}.")
            picture.text(32, 38, title, 20, weight="bold")
            drawer(tables[name], picture)
            picture.write(pathlib.Path(directory) / f"{file}.svg")
