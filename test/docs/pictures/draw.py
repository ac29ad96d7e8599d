"""Draws the pictures from their data: draw.py DATA OUT, both folders."""

import pathlib
import sys

import growth
import plan

if __name__ == "__main__":
    for part in growth, plan:
        part.draw(*map(pathlib.Path, sys.argv[1:]))
