"""Checks what the pages say about their pictures: page_test.py PAGES PICTURES
PAGES is the folder of the pages. Each of the PICTURES must be on one of them, with a description for readers who cannot
see it, and their data must agree with the pages."""

import pathlib
import re
import sys
import xml.etree.ElementTree

import growth
import plan

SVG = "{http://www.w3.org/2000/svg}"


def say(name, good):
    print(f"{'ok' if good else 'not ok'} - {name}", flush=True)


def is_described(path):
    """True if a picture is well-formed XML with title, description and full background."""
    root = xml.etree.ElementTree.parse(path).getroot()
    ground = root.find(f"{SVG}rect")
    return (all(len(root.findtext(SVG + name) or "") > 20 for name in ("title", "desc"))
            and root.get("aria-labelledby") == "title description"
            and all(ground.get(name) == root.get(name) for name in ("width", "height"))
            and ground.get("fill") == "#ffffff")


def main():
    pages, folder = map(pathlib.Path, sys.argv[1:])
    shown = [picture for page in pages.glob("*.md")
             for picture in re.findall(r"!\[([^\]]*)\]\(pictures/([a-z]+\.svg)\)", page.read_text(encoding="utf-8"))]
    pictures = sorted(folder.glob("*.svg"))
    say("the pages show each picture once", sorted(name for _, name in shown) == [path.name for path in pictures])
    say("the pages describe each of them", all(len(words) > 40 for words, _ in shown))
    for path in pictures:
        say(f"{path.name} has a title, a description and a white ground", is_described(path))
    for part in growth, plan:
        for claim, good in part.claims(folder).items():
            say(f"{part.__name__}: {claim}", good)


if __name__ == "__main__":
    main()
