"""Draws the tables of the benchmark into SVG files, with text as text."""

import pathlib

import matplotlib

matplotlib.use("svg")
# pylint: disable=wrong-import-position
from matplotlib import pyplot  # noqa: E402

# The same file for the same figures, and small: the reader has fonts.
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "uuidx", "font.family": "sans-serif",
                            "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
                            "grid.alpha": 0.3, "axes.axisbelow": True, "legend.frameon": False})

# Of Okabe and Ito, which the colour-blind can tell apart.
COLOURS = {
    "uuid_v7()": "#0072b2", "uuid_v7_cluster()": "#56b4e9", "core uuidv7()": "#d55e00", "pg_uuidv7": "#e69f00",
    "core gen_random_uuid()": "#cc79a7", "bigint identity": "#777777", "uuid_v4()": "#009e73",
}
MARKERS = "osD^vP"


def save(figure, directory, name):
    figure.tight_layout()
    figure.savefig(pathlib.Path(directory) / f"{name}.svg", metadata={"Date": None})
    pyplot.close(figure)


def series(table, key, x, y):
    """The points of each line, by what stands in the column of the key."""
    lines = {}
    for record in table.records():
        lines.setdefault(record[key], []).append((record[x], record[y]))
    return lines


def draw_lines(axes, table, key, x, y):
    for i, (name, points) in enumerate(series(table, key, x, y).items()):
        axes.plot(*zip(*points), label=name, color=COLOURS.get(name), marker=MARKERS[i % len(MARKERS)], markersize=4)
    axes.set_xlabel(x)


def from_zero(axes):
    axes.set_ylim(0, 1.1 * axes.dataLim.y1)


def thousands(axis):
    axis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def bars_beside(axes, first, second, labels, form):
    """Two bars for each place; none where the figure is None."""
    for offset, figures, label, colour in zip((0.2, -0.2), (first, second), labels, ("#0072b2", "#e69f00")):
        places = [i + offset for i, figure in enumerate(figures) if figure is not None]
        bars = axes.barh(places, [figure for figure in figures if figure is not None], height=0.4, color=colour,
                         label=label)
        axes.bar_label(bars, fmt=form, padding=2, fontsize=8)
    axes.margins(x=0.15)
    # Below, as there is a bar in every corner.
    inches = axes.get_window_extent().height / axes.figure.dpi
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.6 / inches), ncol=2)


def rate(nanoseconds, least=1):
    """Million a second; None where the figure is in the noise, as its inverse would dwarf all others."""
    return 1000 / nanoseconds if least >= 1 else None


def draw_throughput(table, names, directory):
    records = [record for record in table.records() if record["function"] in names][::-1]
    figure, axes = pyplot.subplots(figsize=(8, 0.5 + 0.45 * len(records)))
    labels = [record["function"] for record in records]
    bars_beside(axes, [rate(record["net ns"], record["least"]) for record in records],
                [rate(record["gross ns"]) for record in records],
                ("net of an empty function", "gross, within count(…)"), "%.3g")
    axes.set_yticks(range(len(records)), labels)
    axes.set_xlabel("million values a second (no bar: in the noise)")
    save(figure, directory, "functions")


def draw_insert(table, directory):
    figure, (times, sizes) = pyplot.subplots(1, 2, figsize=(11, 4.5))
    draw_lines(times, table, "key", "rows", "s in all")
    times.set_ylabel("seconds")
    times.set_title("INSERT: time")
    draw_lines(sizes, table, "key", "rows", "index MB")
    sizes.set_ylabel("MB")
    sizes.set_title("size of the primary key")
    for axes in times, sizes:
        thousands(axes.xaxis)
        axes.set_xlim(left=0)
        from_zero(axes)
        axes.tick_params(axis="x", labelrotation=30)
    times.legend()
    save(figure, directory, "insert")


def draw_clients(table, directory):
    records = table.records()
    counts = sorted({record["clients"] for record in records})
    figure, panels = pyplot.subplots(1, len(counts), figsize=(5.5 * len(counts), 4), sharey=True, squeeze=False)
    for axes, count in zip(panels[0], counts):
        chosen = [record for record in records if record["clients"] == count][::-1]
        bars_beside(axes, [record["average ms"] for record in chosen], [record["95 % ms"] for record in chosen],
                    ("average", "95 %"), "%.3f")
        axes.set_yticks(range(len(chosen)), [record["key"] for record in chosen])
        axes.set_xlabel("latency, ms")
        axes.set_title(f"single-row INSERT, {count} clients")
    save(figure, directory, "clients")


def draw_on_log_scale(table, columns, labels, directory, name):
    figure, axes = pyplot.subplots(figsize=(8, 4.5))
    draw_lines(axes, table, *columns)
    axes.set_xscale("log")
    from_zero(axes)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.legend()
    save(figure, directory, name)


def draw_flat(table, directory):
    draw_on_log_scale(table, ("function", "n", "net ns"),
                      ("values in a statement", "ns a value, net of an empty function"), directory, "flat")


def draw_periods(table, directory):
    draw_on_log_scale(table, ("predicate", "rows", "ms"),
                      ("rows of the table", "ms for the rows of one day"), directory, "time_queries")


def draw(tables, makers, directory):
    """Draws what there is of the tables, by their names."""
    drawers = {
        "functions": lambda table: draw_throughput(table, makers, directory),
        "insert_growth": lambda table: draw_insert(table, directory),
        "clients": lambda table: draw_clients(table, directory),
        "flat": lambda table: draw_flat(table, directory),
        "time_queries_growth": lambda table: draw_periods(table, directory),
    }
    for name, drawer in drawers.items():
        if name in tables:
            drawer(tables[name])
