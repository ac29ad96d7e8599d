"""What uuidx keeps where: the memory of sessions, shared memory, files and the WAL of a primary and its standby."""

import svg
from failover import BROWN, arrow

WIDTH, HEIGHT = 960, 520
MEMORY, DISK = "#e8f2fa", "#fdf3dd"


def box(picture, place, title, lines, fill):
    """Draws a box (left, top, width, height) with a title and lines of text."""
    left, top, width, height = place
    picture.rect(left, top, width, height, fill, rx=6, stroke=svg.FAINT, stroke_width=1)
    picture.text(left + 12, top + 22, title, 13, weight="bold", room=width - 16)
    for i, line in enumerate(lines):
        picture.text(left + 12, top + 42 + 17 * i, line, 12, room=width - 16)


def server(picture, left, width, title):
    picture.rect(left, 84, width, 404, "#ffffff", rx=8, stroke=svg.GREY, stroke_width=1.5, stroke_dasharray="6 4")
    picture.text(left + 12, 76, title, 14, weight="bold")


def draw_primary(picture):
    server(picture, 32, 560, "primary")
    for left, name in (52, "session"), (318, "another session"):
        box(picture, (left, 104, 254, 82), name, ["last tick of uuid_v7()", "random words of a transaction"],
            MEMORY)
    box(picture, (52, 238, 520, 64), "shared memory: the cluster clock",
        ["last tick of uuid_v7_cluster(), and the high-water mark"], MEMORY)
    box(picture, (52, 372, 162, 96), "tables", ["the keys: type uuid,", "16 bytes each,", "nothing else"], DISK)
    box(picture, (228, 372, 164, 96), "uuidx.mark", ["the mark, with a", "checksum, in the", "data directory"], DISK)
    box(picture, (406, 372, 166, 96), "WAL", ["a record of each", "mark, only if uuidx", "is preloaded"], DISK)
    for x in 179, 445:
        arrow(picture, (x, 188), (x, 236), svg.BLUE)
    picture.text(190, 217, "uuid_v7_cluster() takes the next tick", 12, fill=svg.BLUE)
    for x in 310, 489:
        arrow(picture, (x, 304), (x, 370), BROWN)
    picture.text(300, 342, "a new mark, about once a second:", 12, "end", BROWN)
    picture.text(322, 342, "1. the file", 12, fill=BROWN)
    picture.text(501, 342, "2. the WAL", 12, fill=BROWN)


def draw_standby(picture):
    server(picture, 668, 260, "standby")
    box(picture, (688, 238, 220, 64), "shared memory", ["the mark, for a promotion"], MEMORY)
    box(picture, (688, 372, 92, 96), "WAL", ["the same", "records"], DISK)
    box(picture, (796, 372, 112, 96), "uuidx.mark", ["the mark,", "its own copy"], DISK)
    arrow(picture, (574, 420), (686, 420), BROWN)
    picture.text(630, 410, "replication", 12, "middle", BROWN)
    arrow(picture, (734, 370), (780, 304), BROWN)
    arrow(picture, (782, 420), (794, 420), BROWN)
    picture.text(744, 342, "replay", 12, "end", BROWN)


def draw(_data, out):
    picture = svg.Picture(
        WIDTH, HEIGHT, "Storage of keys, ticks and marks",
        "A primary and its standby. Each session has its last tick and its random words in its own memory. Shared "
        "memory has the cluster clock: the last tick of uuid_v7_cluster() and the high-water mark. On disk, tables "
        "have the keys alone, the file uuidx.mark has the mark, and the WAL has a record of each mark if uuidx is "
        "preloaded. Replication takes these records to the standby, which keeps its own file uuidx.mark.")
    picture.text(32, 38, "Storage of keys, ticks and marks", 20, weight="bold")
    picture.rect(688, 24, 16, 16, MEMORY, stroke=svg.FAINT)
    picture.text(712, 37, "in memory", 12)
    picture.rect(800, 24, 16, 16, DISK, stroke=svg.FAINT)
    picture.text(824, 37, "on disk", 12)
    draw_primary(picture)
    draw_standby(picture)
    picture.write(out / "storage.svg")
