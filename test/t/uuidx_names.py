"""Judges name-based UUIDs by Python's own uuid and hashlib.

Reads rows of namespace, name in hex, and the UUIDs that uuidx made of its text (empty if it is none) and of its octets,
separated by '|'. Prints every row that differs, then how many were compared.
"""

import hashlib
import sys
import uuid

DIGESTS = [hashlib.sha224, hashlib.sha256, hashlib.sha384, hashlib.sha512, hashlib.sha3_256,
           hashlib.blake2b]


def stamped(digest, version):
    """The UUID of a digest's first 16 bytes; Python before 3.14 makes no version 8."""
    value = int.from_bytes(digest[:16], "big")
    value = value & ~(0xF << 76) | version << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=value))


def expected(ns, name, has_text):
    """The UUIDs of a name."""
    ns = uuid.UUID(ns)
    octets = bytes.fromhex(name)
    of_text = ["", ""]
    if has_text:
        text = octets.decode("utf-8")
        of_text = [str(uuid.uuid3(ns, text)), str(uuid.uuid5(ns, text))]
    of_octets = [stamped(hashlib.md5(ns.bytes + octets).digest(), 3),
                 stamped(hashlib.sha1(ns.bytes + octets).digest(), 5)]
    return of_text + of_octets + [stamped(d(ns.bytes + octets).digest(), 8) for d in DIGESTS]


compared = 0
for line in sys.stdin:
    ns, name, *made = line.rstrip("\n").split("|")
    if made != expected(ns, name, made[0]):
        print("differs:", ns, name[:80], made, "expected:", expected(ns, name, made[0]))
    compared += 1
print("compared", compared)
