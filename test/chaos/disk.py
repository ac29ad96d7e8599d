"""A disk that loses power when it is killed: disk.py FILE MOUNT_POINT PERCENT

Serves FILE by FUSE as the file MOUNT_POINT, for a loop device. What is written stays in memory, in blocks of 4 kB,
until it is flushed: SIGKILL loses the rest. As a disk may empty its cache at any time and in any order, PERCENT of the
written blocks go to FILE at once. Needs root.
"""

import os
import random
import stat
import sys

from fusepy import FUSE, Operations

BLOCK = 4096


def blocks_of(offset, length):
    """The numbers of the blocks that have these bytes."""
    return range(offset // BLOCK, -(-(offset + length) // BLOCK))


class Disk(Operations):
    """The file system, whose root is the file."""

    def __init__(self, path, percent):
        self.file = os.open(path, os.O_RDWR)
        self.size = os.fstat(self.file).st_size
        self.percent = percent
        self.unflushed = {}  # content by the number of the block

    def getattr(self, path, fh=None):
        return {"st_mode": stat.S_IFREG | 0o600, "st_nlink": 1, "st_size": self.size}

    def content(self, blocks):
        """The content of blocks as last written."""
        return b"".join(self.unflushed.get(block) or os.pread(self.file, BLOCK, block * BLOCK) for block in blocks)

    def read(self, path, size, offset, fh):
        return self.content(blocks_of(offset, size))[offset % BLOCK:][:size]

    def write(self, path, data, offset, fh):
        blocks = blocks_of(offset, len(data))
        content = bytearray(self.content(blocks))
        content[offset % BLOCK:offset % BLOCK + len(data)] = data
        for i, block in enumerate(blocks):
            self.unflushed[block] = bytes(content[i * BLOCK:(i + 1) * BLOCK])
            if random.randrange(100) < self.percent:
                self.flush_block(block)
        return len(data)

    def flush_block(self, block):
        os.pwrite(self.file, self.unflushed.pop(block), block * BLOCK)

    def fsync(self, path, datasync, fh):
        for block in list(self.unflushed):
            self.flush_block(block)
        return 0


if __name__ == "__main__":
    FUSE(Disk(sys.argv[1], int(sys.argv[3])), sys.argv[2], foreground=True, nothreads=True, big_writes=True)
