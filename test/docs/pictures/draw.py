"""Draws the pictures from their data: draw.py DATA OUT, both folders."""

import pathlib
import sys

import clock
import failover
import growth
import layouts
import places
import plan
import restart
import storage

if __name__ == "__main__":
    for part in layouts, clock, places, growth, plan, storage, restart, failover:
        part.draw(*map(pathlib.Path, sys.argv[1:]))
