"""The values before and after an asynchronous and a synchronous failover: two panels with a lane each for client,
primary and standby, from left to right in time."""

import svg

WIDTH, HEIGHT = 960, 630
BROWN = "#8a5f00"  # legible orange
LANES = [("client", 54), ("primary", 118), ("standby", 182)]  # with their height in a panel
LEFT, RIGHT = 110, 936
CRASH = 560  # the x at which the primary is lost


def arrow(picture, start, end, colour, dashed=False):
    """Draws an arrow between two points, down or up."""
    (x1, y1), (x2, y2) = start, end
    picture.line(x1, y1, x2, y2, colour, 2, stroke_dasharray="4 4" if dashed else None)
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    dx, dy = (x2 - x1) / length * 9, (y2 - y1) / length * 9
    picture.polygon([(x2, y2), (x2 - dx - dy * 0.45, y2 - dy + dx * 0.45), (x2 - dx + dy * 0.45, y2 - dy - dx * 0.45)],
                    colour)


def note(picture, x, y, lines, colour, anchor="middle"):
    for i, line in enumerate(lines):
        picture.text(x, y + 15 * i, line, 12, anchor, colour, "bold" if i == 0 else "normal")


def draw_lanes(picture, top, title):
    picture.text(32, top, title, 14, weight="bold")
    for name, y in LANES:
        end = CRASH if name == "primary" else RIGHT
        picture.line(LEFT, top + y, end, top + y, svg.PALE, 8)
        picture.text(LEFT - 12, top + y + 4, name, 13, "end", svg.FAINT)
    y = top + LANES[1][1]
    for sign in -1, 1:
        picture.line(CRASH - 9, y - 9 * sign, CRASH + 9, y + 9 * sign, svg.VERMILION, 4)
    picture.text(CRASH + 16, y + 5, "primary is lost", 13, fill=svg.VERMILION, weight="bold")


def value(picture, x, top, lane, lines, colour=svg.BLUE):
    """Draws a value that a server returns to the client."""
    client, server = top + LANES[0][1], top + LANES[lane][1]
    arrow(picture, (x, server - 6), (x, client + 6), colour)
    picture.dot(x, client, 6, colour)
    note(picture, x, client - 28 if len(lines) > 1 else client - 12, lines, colour)


def mark(picture, x, top, text, arrives, width=40):
    """Draws a mark that the primary flushes and sends to the standby."""
    primary, standby = top + LANES[1][1], top + LANES[2][1]
    picture.rect(x - 6, primary - 6, 12, 12, svg.ORANGE)
    picture.text(x - 10, primary + 22, text, 12, "end", BROWN)
    if arrives:
        arrow(picture, (x + 4, primary + 8), (x + width, standby - 7), BROWN)
        picture.rect(x + width - 6, standby - 6, 12, 12, svg.ORANGE)
    else:
        middle = (x + width * 0.6, primary + (standby - primary) * 0.6)
        arrow(picture, (x + 4, primary + 8), middle, BROWN, dashed=True)
        picture.text(middle[0] + 4, middle[1] + 14, "not received", 12, "start", BROWN)


def promote(picture, x, top, lines):
    y = top + LANES[2][1]
    picture.dot(x, y, 6, svg.GREEN)
    note(picture, x, y + 22, lines, svg.GREEN)


def draw_asynchronous(picture, top):
    draw_lanes(picture, top, "Asynchronous replication: the value does not wait for the standby")
    mark(picture, 250, top, "mark 12:00:09", True)
    value(picture, 300, top, 1, ["12:00:07.5"])
    mark(picture, 470, top, "mark 12:00:22", False)
    value(picture, 500, top, 1, ["12:00:20.0", "first after a pause"])
    promote(picture, 720, top, ["promoted", "mark 12:00:09; its clock: 12:00:19.8"])
    value(picture, 790, top, 2, ["12:00:19.8", "smaller"], svg.VERMILION)


def draw_synchronous(picture, top):
    draw_lanes(picture, top, "Synchronous replication: the value waits for the standby")
    mark(picture, 250, top, "mark 12:00:09", True)
    value(picture, 300, top, 1, ["12:00:07.5"])
    mark(picture, 440, top, "mark 12:00:22", True)
    arrow(picture, (486, top + LANES[2][1] - 8), (514, top + LANES[1][1] + 7), svg.GREEN)
    picture.text(512, top + LANES[2][1] - 26, "confirmed", 12, "start", svg.GREEN)
    value(picture, 520, top, 1, ["12:00:20.0", "first after a pause"])
    promote(picture, 720, top, ["promoted", "mark 12:00:22; its clock: 12:00:19.8"])
    value(picture, 790, top, 2, ["12:00:22.0", "greater"])


def draw(_data, out):
    picture = svg.Picture(
        WIDTH, HEIGHT, "Values before and after a failover",
        "Two panels with a lane each for client, primary and standby. With asynchronous replication, the first value "
        "after a pause, 12:00:20.0, is returned before its mark has reached the standby. The promoted standby, whose "
        "clock says 12:00:19.8, then returns a smaller value. With synchronous replication the value is returned once "
        "the standby has confirmed the mark 12:00:22, and the promoted standby continues above that mark.")
    picture.text(32, 38, "Values before and after a failover", 20, weight="bold")
    draw_asynchronous(picture, 84)
    draw_synchronous(picture, 348)
    picture.rect(LEFT, HEIGHT - 40, 12, 12, svg.ORANGE)
    picture.text(LEFT + 20, HEIGHT - 30, "mark on disk", 12)
    picture.dot(LEFT + 146, HEIGHT - 34, 6, svg.BLUE)
    picture.text(LEFT + 160, HEIGHT - 30, "value returned to the client", 12)
    picture.dot(LEFT + 376, HEIGHT - 34, 6, svg.VERMILION)
    picture.text(LEFT + 390, HEIGHT - 30, "value that is out of order", 12)
    picture.write(out / "failover.svg")
