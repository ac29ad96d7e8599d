"""Sets the clock of a server that runs with test/shim/fault.c preloaded, by its control page."""

import struct

REAL, SET, MOVED = range(3)


class Clock:
    def __init__(self, page):
        self.page = page

    def _write(self, mode, nanoseconds):
        # Up to the name of the digest; the rest is 0.
        content = struct.pack("=6q32s", mode, *divmod(nanoseconds, 10**9), 0, 0, 0, b"")
        with open(self.page, "r+b", buffering=0) as file:
            file.write(content)

    def be_real(self):
        self._write(REAL, 0)

    def stand_at(self, nanoseconds):
        """Freezes the clock at nanoseconds since 1970."""
        self._write(SET, nanoseconds)

    def be_off_by(self, nanoseconds):
        """Sets the clock ahead of the real one by nanoseconds."""
        self._write(MOVED, nanoseconds)
