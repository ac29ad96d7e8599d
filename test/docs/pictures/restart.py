"""Clock, values and high-water mark of a preloaded server over a crash and a clean restart, computed by the rules of
src/core/high_water_mark.hpp and src/pg/cluster/high_water_mark.cpp."""

import svg

WIDTH, HEIGHT = 960, 468
BROWN = "#8a5f00"  # legible orange

AHEAD, MARGIN = 2.0, 0.05  # of a new mark: from the clock, and at least from the value, in seconds
STEP = 0.01
END = 12
# When the server stops and starts again, and whether it stops cleanly.
STOPS = [(4.4, 5.2, False), (8.7, 9.5, True)]


def history():
    """Rows of (time, clock, value, mark), a list for each run of the server. The real time is that of the clock."""
    runs, mark = [[]], 0.0
    value, raise_at, stops = 0.0, 0.0, list(STOPS)
    for step in range(round(END / STEP) + 1):
        now = step * STEP
        if stops and now > stops[0][0]:
            if now < stops[0][1]:
                continue
            if stops[0][2]:
                mark = value  # lowered at shutdown
            value = raise_at = mark
            runs.append([])
            del stops[0]
        value = max(now, value)
        if value >= raise_at:
            mark = max(now + AHEAD, value + MARGIN, mark)
            raise_at = (value + mark) / 2
        runs[-1].append((now, now, value, mark))
    return runs


def claims(_folder):
    """Statements of the page about this picture, each with whether the data agree."""
    before, after, clean = history()
    highest = max(value for _, _, value, _ in before)
    return {
        "no value is above its mark": all(value <= mark for run in history() for _, _, value, mark in run),
        "the first value after a crash is at the mark": after[0][2] == before[-1][3] > highest,
        "after the crash it is up to two seconds ahead of the clock": 0 < after[0][2] - after[0][1] <= AHEAD,
        "it is caught up soon": after[-1][2] == after[-1][1],
        "after a clean stop it is not ahead": clean[0][2] == clean[0][1],
    }


def time_of(seconds):
    return f"12:00:{seconds:06.3f}"


def label(seconds):
    return f"12:00:{seconds:02d}"


def stairs(run):
    """The marks of a run as a step function."""
    line = []
    for now, _, _, mark in run:
        if line and line[-1][1] != mark:
            line.append((now, line[-1][1]))
        line.append((now, mark))
    return line


def draw_stops(picture, axes):
    for stop, start, clean in STOPS:
        left, right = axes.x(stop), axes.x(start)
        picture.rect(left, axes.top, right - left, axes.height, "#f0f0f0")
        picture.text((left + right) / 2, axes.top + axes.height - 26, "clean" if clean else "down", 12, "middle",
                     svg.FAINT)
        picture.text((left + right) / 2, axes.top + axes.height - 10, "restart" if clean else "(crash)", 12, "middle",
                     svg.FAINT)


def draw(_data, out):
    runs = history()
    picture = svg.Picture(
        WIDTH, HEIGHT, "A crash and a clean restart",
        "The clock, the values of uuid_v7_cluster() and the high-water mark over twelve seconds. The mark is up to two "
        "seconds above the values, in steps. After a crash at 12:00:04.4 the first value is at the mark, 12:00:06, "
        "while the clock says 12:00:05.2. The values stay level until the clock has caught up. After a clean restart "
        "of a preloaded server they follow the clock at once.")
    picture.text(32, 38, "A crash and a clean restart", 20, weight="bold")
    axes = svg.Axes(picture, (92, 84, 832, 336), (0, END), (0, 14))
    draw_stops(picture, axes)
    axes.frame("time in the values and in the mark", [(n, label(n)) for n in range(0, END + 1, 2)],
               [(n, label(n)) for n in range(0, 15, 2)], "clock of the server")
    for run in runs:
        axes.plot(stairs(run), svg.ORANGE, 2.5)
        axes.plot([(now, value) for now, _, value, _ in run], svg.BLUE, 3.5)
    axes.plot([(0, 0), (END, END)], svg.GREY, 1.5, stroke_dasharray="5 4")
    first = runs[1][0]
    axes.dots([(runs[0][-1][0], runs[0][-1][2]), (first[0], first[2])], 5, svg.BLUE)
    picture.text(axes.x(5.3), axes.y(3.95), f"last value before: {time_of(runs[0][-1][2])}", 12, fill=svg.BLUE,
                 weight="bold")
    picture.text(axes.x(6.15), axes.y(5.15), f"first value after: {time_of(first[2])}, at the mark", 12, fill=svg.BLUE,
                 weight="bold")
    picture.text(axes.x(0.5), axes.y(6.2), "mark on disk", 14, fill=BROWN, weight="bold")
    picture.text(axes.x(1.9), axes.y(0.7), "values, and the clock", 14, fill=svg.BLUE, weight="bold")
    picture.write(out / "restart.svg")
