"""Prints the sentences and table cells of pages that are too long to be read at once: prose.py PAGE...

A sentence has at most 35 words, each line of a cell 200 characters. Inline code counts as one word, a link as its text;
blocks of code and comments do not count.
"""

import re
import sys

MAX_WORDS = 35
MAX_CELL = 200


def rendered(markdown):
    """Returns a text as a reader sees it, with inline code as it is."""
    return re.sub(r"!?\[((?:[^\]`]|`[^`]*`)*)\]\([^)\s]*\)", r"\1", markdown)


def units(page):
    """Yields (line, text) of each paragraph, list item, heading and row of a table."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    # Keeps the number of lines.
    text = re.sub(r"<!--.*?-->|^ *```.*?^ *```$", lambda m: "\n" * m[0].count("\n"), text, flags=re.S | re.M)
    start, lines = 1, []
    for number, line in enumerate(text.split("\n") + [""], 1):
        begins = re.match(r" *(?:[-*] |\d+\. |#|\||$)", line)
        if begins and lines:
            yield start, " ".join(lines)
            lines = []
        if line.strip():
            start = start if lines else number
            lines.append(re.sub(r"^(?:[-*]|\d+\.|#+|>) +", "", line.strip()))


def cells(row):
    """Returns the cells of a row of a table."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip("|"))]


def faults(page):
    """Yields what is too long on a page."""
    for line, text in units(page):
        text = rendered(text)
        parts = cells(text) if text.startswith("|") else [text]
        for part in (part for cell in parts for part in cell.split("<br>")):
            if text.startswith("|") and len(part) > MAX_CELL:
                yield f"{page}:{line}: cell of {len(part)} characters: {part[:60]}…"
            prose = re.sub(r"`[^`]*`", "code", part)
            for sentence in re.split(r"(?<=[.!?])[)\"*]*\s+", prose):
                words = len(re.findall(r"\S*\w\S*", sentence))
                if words > MAX_WORDS:
                    yield f"{page}:{line}: sentence of {words} words: {sentence[:60]}…"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        for fault in faults(name):
            print(fault)
