"""The layout of each version, to scale, from a table that layouts_test.py compares with a server."""

import json

import svg

WIDTH, MARGIN = 960, 32
BIT = 7  # width
STRIP, BLOCK, HEAD = 38, 82, 114  # heights

# Colours of the time from its lowest bit to its highest.
SHADES = (0xb5, 0xda, 0xf5), (0x2b, 0x8c, 0xc6), (0x00, 0x33, 0x5c)
COLOURS = {"time": svg.BLUE, "random": svg.ORANGE, "session": svg.ORANGE, "fixed": "#333333", "given": svg.GREEN}
LEGEND = [("time", "time: the darker, the higher"), ("random", "random"), ("session", "random, drawn once per session"),
          ("given", "given by the caller"), ("fixed", "fixed")]


def load(folder):
    with open(folder / "layouts.json", encoding="utf-8") as file:
        return json.load(file)


def parts(layout):
    """All parts with their field and first bit, in order."""
    first = 0
    for field in layout["fields"]:
        for part in field["parts"]:
            yield field, part, first
            first += part["bits"]


def time_bits(layout):
    """The bits of the time, including the sequence."""
    return max((part["from"] + part["bits"] for _, part, _ in parts(layout) if part["kind"] == "time"), default=0)


def shade(share):
    """The colour of a bit of the time, by the share of lower bits."""
    lower = share < 0.5
    ends = SHADES[:2] if lower else SHADES[1:]
    share = share * 2 - (0 if lower else 1)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(*ends))


def gradient(picture, low, bits, total):
    """The fill of a part of the time, with its highest bit on the left."""
    name = f"time-{low}-{bits}-{total}"
    stops = "".join(f'<stop offset="{svg.number(i / 4)}" stop-color="{shade((low + bits * (1 - i / 4)) / total)}"/>'
                    for i in range(5))
    definition = f'<linearGradient id="{name}">{stops}</linearGradient>'
    if definition not in picture.definitions:
        picture.define(definition)
    return f"url(#{name})"


def draw_part(picture, layout, part, x, y):
    """Draws the bits of a part; returns whether its text is white."""
    width = part["bits"] * BIT
    if part["kind"] == "time":
        total = time_bits(layout)
        picture.rect(x, y, width, STRIP, gradient(picture, part["from"], part["bits"], total))
        return (part["from"] + part["bits"] / 2) / total > 0.5
    picture.rect(x, y, width, STRIP, COLOURS[part["kind"]])
    if part["kind"] == "session":
        picture.rect(x, y, width, STRIP, "url(#stripes)")
    return part["kind"] == "fixed"


def caption(part):
    """Draws the second line of a part if there is room."""
    if part["kind"] == "fixed":
        return str(part["value"]) if part["bits"] > 2 else ""
    if part["kind"] == "random" and part["bits"] > 20:
        return f"{part['bits']} random bits"
    return part.get("label") or (f"{part['bits']} bits" if part["bits"] > 11 else "")


def draw_letters(picture, field, first, whites, y):
    """Draws the name of a field on its largest part, and the second line of each part."""
    largest = max(field["parts"], key=lambda part: part["bits"])
    x = MARGIN + first * BIT
    for part, white in zip(field["parts"], whites):
        width, colour = part["bits"] * BIT, svg.GROUND if white else svg.INK
        if width < 20 and part is largest:
            picture.text(x + width / 2 + 4, y + STRIP / 2, field["name"], 11, "middle", colour, room=STRIP,
                         upright=True)
        elif part is largest:
            picture.text(x + width / 2, y + 16, field["name"], 11 if width < 60 else 13, "middle", colour, room=width)
        if caption(part):
            picture.text(x + width / 2, y + 31, caption(part), 11, "middle", colour, room=width)
        x += width


def draw_layout(picture, layout, y):
    picture.text(MARGIN, y - 7, layout["title"], 14, weight="bold")
    picture.text(MARGIN + svg.width_of(layout["title"], 14, "bold") + 12, y - 7, layout["note"], 12, fill=svg.FAINT)
    whites, places = {}, []  # by the field its first bit and whether letters are white on its parts; the first bits
    for field, part, first in parts(layout):
        x = MARGIN + first * BIT
        whites.setdefault(field["name"], (first, []))[1].append(draw_part(picture, layout, part, x, y))
        places.append(first)
        if first:
            picture.line(x, y, x, y + STRIP, svg.GROUND)
    for field in layout["fields"]:
        draw_letters(picture, field, *whites[field["name"]], y)
    last = None
    for first in places:
        # Omits a bit number that is too close to the previous one.
        if last is None or (first - last) * BIT >= 14:
            picture.text(MARGIN + first * BIT + (1 if first else 0), y + STRIP + 11, str(first), 9,
                         "middle" if first else "start", svg.FAINT)
            last = first
    picture.text(MARGIN + 128 * BIT, y + STRIP + 11, "127", 9, "end", svg.FAINT)


def draw_legend(picture, y):
    x = MARGIN
    for kind, text in LEGEND:
        if kind == "time":
            picture.rect(x, y - 12, 36, 15, gradient(picture, 0, 64, 64))
        else:
            picture.rect(x, y - 12, 36, 15, COLOURS[kind])
        if kind == "session":
            picture.rect(x, y - 12, 36, 15, "url(#stripes)")
        picture.text(x + 43, y, text, 12)
        x += 43 + svg.width_of(text, 12) + 18


def draw(data, out):
    layouts = load(data)
    picture = svg.Picture(
        WIDTH, HEAD + BLOCK * len(layouts) + 8, "The 128 bits of each version",
        "A strip of 128 bits for each kind of UUID that uuidx generates, to scale, with the field names of RFC 9562. "
        "Versions 6 and 7 begin with the high bits of the time; version 1 begins with its low bits; version 4 is "
        "random except for version and variant. uuid_v7() has 48 bits of milliseconds, 12 of their fraction, 4 of "
        "sequence and 58 random ones.")
    picture.define('<pattern id="stripes" width="8" height="8" patternUnits="userSpaceOnUse" '
                   'patternTransform="rotate(45)"><rect width="3" height="8" fill="#ffffff" fill-opacity="0.4"/>'
                   '</pattern>')
    picture.text(MARGIN, 38, "Bit layouts", 20, weight="bold")
    picture.text(WIDTH - MARGIN, 38, "to scale; field names and § of RFC 9562", 12, "end", svg.FAINT)
    draw_legend(picture, 66)
    for i, layout in enumerate(layouts):
        draw_layout(picture, layout, HEAD + BLOCK * i)
    picture.write(out / "layouts.svg")
