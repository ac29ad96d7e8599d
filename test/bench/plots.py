"""Draws the benchmark's tables as SVG files."""

import pathlib

import matplotlib
from functions import generating
from matplotlib import pyplot

matplotlib.use("svg")
# Text stays text, and the same figures give the same file.
matplotlib.rcParams.update({
    "axes.axisbelow": True, "axes.grid": True, "axes.spines.right": False, "axes.spines.top": False,
    "figure.constrained_layout.use": True, "font.size": 9, "grid.color": "#d8d8d8", "legend.frameon": False,
    "svg.fonttype": "none", "svg.hashsalt": "uuidx"})

# The palette of Okabe and Ito, for the color-blind.
BLUE, SKY, ORANGE, GREEN = "#0072b2", "#56b4e9", "#e69f00", "#009e73"
VERMILION, PURPLE, GREY = "#d55e00", "#cc79a7", "#777777"
COLORS = {
    "uuid_v7()": BLUE, "uuid_v7_server()": SKY, "core uuidv7()": VERMILION, "pg_uuidv7": ORANGE,
    "core gen_random_uuid()": PURPLE, "bigint identity": GREY, "uuid_v4()": GREEN,
}
# For lines of other names.
OTHERS = BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, GREY


def draw_lines(axes, table, columns, labels, unit=1):
    """Draws a line for each name. Arguments: columns of name, x and y, labels of x and y, unit of x."""
    name_column, x, y = columns
    points = {}
    for record in table.records():
        points.setdefault(record[name_column], []).append((record[x] / unit, record[y]))
    # The first line on top.
    for i, (name, line) in enumerate(points.items()):
        axes.plot(*zip(*line), color=COLORS.get(name, OTHERS[i % len(OTHERS)]), label=name, linewidth=2, marker="o",
                  markersize=4, zorder=9 - i)
    axes.set(xlabel=labels[0], ylabel=labels[1], ylim=(0, None))


def draw_bars(axes, title, names, series, form):
    """Draws a row for each name with a bar for each of series, (label, color, values); none if the value is None."""
    height = 0.8 / len(series)
    for j, (label, color, values) in enumerate(series):
        bars = axes.barh([i + (j - len(series) / 2 + 0.5) * height for i in range(len(names))],
                         [value or 0 for value in values], height, color=color, label=label)
        axes.bar_label(bars, ["" if value is None else format(value, form) for value in values], fontsize=7, padding=3)
    axes.set(title=title, yticks=range(len(names)), yticklabels=names)
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)


def draw_insert(table):
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9.6, 4))
    draw_lines(left, table, ("key", "rows", "s in all"), ("million rows", "INSERT, seconds"), 1e6)
    draw_lines(right, table, ("key", "rows", "index MB"), ("million rows", "index of the primary key, MB"), 1e6)
    left.legend()
    return figure


def draw_growth(table):
    """Lines over powers of ten."""
    figure, axes = pyplot.subplots(figsize=(9.6, 4))
    draw_lines(axes, table, ("predicate", "rows", "ms"), ("rows of the table", "ms"))
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.legend()
    return figure


def rate(nanoseconds, least=1):
    """Million a second; None if the figure is in the noise, as its inverse would dwarf all others."""
    return 1000 / nanoseconds if least >= 1 else None


def draw_throughput(table):
    records = [record for record in table.records() if record["function"] in generating()]
    figure, axes = pyplot.subplots(figsize=(9.6, 1.2 + 0.35 * len(records)))
    draw_bars(axes, "million values a second", [record["function"] for record in records], [
        ("net of an empty function (no bar: in the noise)", BLUE,
         [rate(record["net ns"], record["least"]) for record in records]),
        ("gross, within count(…)", ORANGE, [rate(record["gross ns"]) for record in records])], ".3g")
    axes.legend()
    return figure


def draw_clients(table):
    records = table.records()
    counts = sorted({record["clients"] for record in records})
    figure, panels = pyplot.subplots(1, len(counts), figsize=(9.6, 4), squeeze=False)
    for count, axes in zip(counts, panels[0]):
        chosen = [record for record in records if record["clients"] == count]
        draw_bars(axes, f"latency in ms, {count} clients", [record["key"] for record in chosen], [
            ("average", BLUE, [record["average ms"] for record in chosen]),
            ("95 %", ORANGE, [record["95 % ms"] for record in chosen])], ".3f")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="upper left")
    return figure


def draw(tables, directory):
    """Draws those of the tables, by name, that have a plot."""
    plots = {
        "functions": ("functions", "Values a second of each generating function", draw_throughput),
        "insert_growth": ("insert", "INSERT and the size of the primary key, by the kind of key", draw_insert),
        "clients": ("clients", "Latency of single-row INSERTs", draw_clients),
        "time_queries_growth": ("time_queries", "Query for one day by the size of the table", draw_growth),
    }
    for name, (file, title, drawer) in plots.items():
        if name in tables:
            figure = drawer(tables[name])
            figure.suptitle(title, fontweight="bold")
            figure.savefig(pathlib.Path(directory) / f"{file}.svg", metadata={"Date": None})
