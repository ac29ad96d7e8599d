"""SVG pictures: shapes, text and axes, on a white background that suits light and dark pages. The same calls give the
same file. Text that would be cut off or overlap other text is an error."""

import json
import math
from xml.sax.saxutils import escape, quoteattr

# The palette of Okabe and Ito, for the colour-blind.
BLUE, SKY, ORANGE, GREEN = "#0072b2", "#56b4e9", "#e69f00", "#009e73"
VERMILION, PURPLE, GREY = "#d55e00", "#cc79a7", "#777777"

INK, FAINT, PALE, GROUND = "#1a1a1a", "#5a5a5a", "#d8d8d8", "#ffffff"

# Widths of DejaVu Sans relative to the size: the widest font that a reader is likely to have.
WIDTHS = {
    "'ijl": 0.28, " ,./:;\\|IJf": 0.35, "-()[]t!r\"": 0.44, "*_–§?szcL": 0.57,
    "abdeghknopquvxyFPTYES$0123456789{}µ": 0.64, "ABCKRUVXZ": 0.73, "DGHNOQ&w": 0.82,
}
WIDTH_OF = {letter: width for letters, width in WIDTHS.items() for letter in letters}
BOLD = 1.13
MONO = 0.61


def width_of(text, size, weight="normal", family="sans"):
    """The maximum width of a text."""
    if family == "mono":
        return len(text) * MONO * size
    return sum(WIDTH_OF.get(letter, 1.0) for letter in text) * size * (BOLD if weight == "bold" else 1)


def number(value):
    """A length, short and the same on every platform."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def attributes(**pairs):
    """XML attributes for the values other than None, with hyphens for underscores."""
    return "".join(f" {name.rstrip('_').replace('_', '-')}"
                   f"={quoteattr(number(value) if isinstance(value, (int, float)) else value)}"
                   for name, value in pairs.items() if value is not None)


def overlap(first, second):
    """True if two boxes (left, top, right, bottom) overlap."""
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


def ticks(most):
    """Four to eight round numbers from 0 to at least the given one, with labels."""
    step = next(size * 10**power for power in range(-6, 12) for size in (1, 2, 5) if most / (size * 10**power) <= 6)
    return [(value * step, f"{value * step:,g}") for value in range(math.ceil(most / step) + 1)]


class Picture:
    """Shapes in the order of the calls. Title and description are for screen readers."""

    def __init__(self, width, height, title, description):
        self.width, self.height = width, height
        self.title, self.description = title, description
        self.shapes = []
        self.texts = []  # with their boxes

    def rect(self, x, y, width, height, fill, **more):
        self.shapes.append(f"<rect{attributes(x=x, y=y, width=width, height=height, fill=fill, **more)}/>")

    def line(self, x1, y1, x2, y2, stroke=INK, width=1, **more):
        self.shapes.append(f"<line{attributes(x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke)}"
                           f"{attributes(stroke_width=width, **more)}/>")

    def dot(self, x, y, radius, fill, **more):
        self.shapes.append(f"<circle{attributes(cx=x, cy=y, r=radius, fill=fill, **more)}/>")

    def polygon(self, points, fill, **more):
        places = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self.shapes.append(f"<polygon{attributes(points=places, fill=fill, **more)}/>")

    def polyline(self, points, stroke, width=2, **more):
        places = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self.shapes.append(f"<polyline{attributes(points=places, fill='none', stroke=stroke, stroke_width=width)}"
                           f"{attributes(stroke_linejoin='round', **more)}/>")

    def path(self, data, **more):
        self.shapes.append(f"<path{attributes(d=data, **more)}/>")

    def text(self, x, y, text, size=13, anchor="start", fill=INK, weight="normal", family="sans", room=None,
             upright=False):
        """A line of text on its base line; with room, an error if it is wider; upright, read from below."""
        width = width_of(text, size, weight, family)
        if width > (room or self.width):
            raise ValueError(f"{self.title}: no room for '{text}': {width:.0f} of {room or self.width:.0f}")
        start = -width * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        # Without descenders, which may touch the next line.
        if upright:
            box = (x - 0.75 * size, y - start - width, x + 0.05 * size, y - start)
        else:
            box = (x + start, y - 0.75 * size, x + start + width, y + 0.05 * size)
        self.texts.append((text, box))
        self.shapes.append(f"<text{attributes(x=x, y=y, font_size=size, fill=fill)}"
                           f"{attributes(text_anchor=None if anchor == 'start' else anchor)}"
                           f"{attributes(font_weight=None if weight == 'normal' else weight)}"
                           f"{attributes(font_family='monospace' if family == 'mono' else None)}"
                           f"{attributes(transform=f'rotate(-90 {number(x)} {number(y)})' if upright else None)}"
                           f">{escape(text)}</text>")

    def legend(self, x, y, entries, size=13):
        """Lines of the colours of (label, colour) with their labels, in as many rows as it takes. Returns the y of the
        last one."""
        left = x
        for label, colour in entries:
            width = 35 + width_of(label, size)
            if left > x and left + width > self.width - x:
                left, y = x, y + 1.6 * size
            self.line(left, y - 4, left + 28, y - 4, colour, 4)
            self.text(left + 35, y, label, size)
            left += width + 26
        return y

    def check(self):
        """Raises an error if a text is cut off or overlaps another one."""
        ground = (0, 0, self.width, self.height)
        for i, (text, box) in enumerate(self.texts):
            if box[0] < 0 or box[1] < 0 or box[2] > ground[2] or box[3] > ground[3]:
                raise ValueError(f"{self.title}: '{text}' is cut off")
            for other, place in self.texts[:i]:
                if overlap(box, place):
                    raise ValueError(f"{self.title}: '{text}' lies on '{other}'")

    def write(self, path):
        self.check()
        size = f"{number(self.width)} {number(self.height)}"
        lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{number(self.width)}" '
                 f'height="{number(self.height)}" role="img" aria-labelledby="title description" '
                 'font-family="Helvetica, Arial, sans-serif">',
                 f'<title id="title">{escape(self.title)}</title>',
                 f'<desc id="description">{escape(self.description)}</desc>']
        lines += [f'<rect width="{number(self.width)}" height="{number(self.height)}" rx="8" fill="{GROUND}"/>',
                  *self.shapes, "</svg>", ""]
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write("\n".join(lines))


class Axes:
    """A panel of a picture with its scales, that of x logarithmic on request."""

    def __init__(self, picture, box, x_range, y_range, log=False):
        self.picture = picture
        self.left, self.top, self.width, self.height = box
        self.x_range, self.y_range = x_range, y_range
        self.scale = math.log if log else float

    def x(self, value):
        value, first, last = map(self.scale, (value, *self.x_range))
        return self.left + (value - first) / (last - first) * self.width

    def y(self, value):
        first, last = self.y_range
        return self.top + self.height - (value - first) / (last - first) * self.height

    def frame(self, title, x_ticks, y_ticks, x_label=None, y_label=None):
        """Grid, scales and labels; ticks are pairs of a value and its label."""
        bottom, right = self.top + self.height, self.left + self.width
        for value, label in y_ticks:
            self.picture.line(self.left, self.y(value), right, self.y(value), PALE)
            self.picture.text(self.left - 6, self.y(value) + 4, label, 11, "end", FAINT)
        for value, label in x_ticks:
            self.picture.line(self.x(value), bottom, self.x(value), bottom + 4, FAINT)
            if label:
                self.picture.text(self.x(value), bottom + 16, label, 11, "middle", FAINT)
        self.picture.line(self.left, bottom, right, bottom, FAINT)
        self.picture.text(self.left, self.top - 12, title, 14, weight="bold")
        if x_label:
            self.picture.text(self.left + self.width / 2, bottom + 33, x_label, 12, "middle", FAINT)
        if y_label:
            self.picture.text(self.left - 42, self.top + self.height / 2, y_label, 12, "middle", FAINT, upright=True)

    def places(self, points):
        return [(self.x(x), self.y(y)) for x, y in points]

    def plot(self, points, stroke, width=2.5, **more):
        self.picture.polyline(self.places(points), stroke, width, **more)

    def dots(self, points, radius, fill, **more):
        for x, y in self.places(points):
            self.picture.dot(x, y, radius, fill, **more)


def conditions(folder):
    """A line on the machine that was measured."""
    with open(folder / "server.json", encoding="utf-8") as file:
        return json.load(file)["conditions"]
