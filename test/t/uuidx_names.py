"""Judges what uuidx made and read, by Python's own uuid and hashlib.

Usage: uuidx_names.py names|fields < ROWS, their columns separated by '|'. Prints every row that
differs, then how many were compared.
"""

import hashlib
import sys
import uuid

DIGESTS = [hashlib.sha224, hashlib.sha256, hashlib.sha384, hashlib.sha512, hashlib.sha3_256,
           hashlib.blake2b]
VARIANTS = {
    uuid.RESERVED_NCS: "ncs",
    uuid.RFC_4122: "rfc9562",
    uuid.RESERVED_MICROSOFT: "microsoft",
    uuid.RESERVED_FUTURE: "future",
}
TICKS_AT_UNIX_EPOCH = 0x01B21DD213814000


def stamped(digest, version):
    """The UUID of a digest's first 16 bytes; Python before 3.14 makes no version 8."""
    value = int.from_bytes(digest[:16], "big")
    value = value & ~(0xF << 76) | version << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=value))


def expected_names(ns, name, v3_of_text, _v5_of_text, *_):
    """Given the namespace, the name in hex and, empty where it is no text, the UUIDs of its text."""
    ns = uuid.UUID(ns)
    octets = bytes.fromhex(name)
    of_text = ["", ""]
    if v3_of_text:
        text = octets.decode("utf-8")
        of_text = [str(uuid.uuid3(ns, text)), str(uuid.uuid5(ns, text))]
    of_octets = [stamped(hashlib.md5(ns.bytes + octets).digest(), 3),
                 stamped(hashlib.sha1(ns.bytes + octets).digest(), 5)]
    return of_text + of_octets + [stamped(d(ns.bytes + octets).digest(), 8) for d in DIGESTS]


def micros_of(value):
    """Microseconds since 1970. Python before 3.14 knows the time of version 1 only."""
    if value.version == 7:
        return int(value.hex[:12], 16) * 1000
    ticks = value.time if value.version == 1 else int(value.hex[:12] + value.hex[13:16], 16)
    return (ticks - TICKS_AT_UNIX_EPOCH) // 10


def expected_fields(text, *_):
    """Given a UUID: version, variant, clock sequence, node, time; empty where it has none."""
    value = uuid.UUID(text)
    gregorian = value.version in (1, 6)
    return ["" if value.version is None else str(value.version),
            VARIANTS[value.variant],
            str(value.clock_seq) if gregorian else "",
            f"{value.node:012x}" if gregorian else "",
            str(micros_of(value)) if value.version in (1, 6, 7) else ""]


def main():
    given, expected_of = {"names": (2, expected_names), "fields": (1, expected_fields)}[sys.argv[1]]
    compared = 0
    for line in sys.stdin:
        columns = line.rstrip("\n").split("|")
        expected = expected_of(*columns)
        if columns[given:] != expected:
            print("differs:", [c[:80] for c in columns], "expected:", expected)
        compared += 1
    print("compared", compared)


main()
