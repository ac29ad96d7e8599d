"""Draws the pictures from their data: draw.py DATA OUT, both folders."""

import pathlib
import sys

import clock
import growth
import layouts
import places
import plan

if __name__ == "__main__":
    for part in layouts, clock, places, growth, plan:
        part.draw(*map(pathlib.Path, sys.argv[1:]))
