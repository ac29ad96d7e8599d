"""Prints UUIDs with their text formats by Python's own functions, or by what the specifications say, for COPY: rows of
a UUID, a format, the text, and another spelling of it that the format may be read from.
"""

import base64
import random
import uuid

MAX = 2**128 - 1
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def crockford(value):
    """The ULID specification: 130 bits from the front, of which the first two are zero."""
    bits = f"{value:0130b}"
    return "".join(CROCKFORD[int(bits[i:i + 5], 2)] for i in range(0, 130, 5))


def base58(value):
    """The number in base 58, the first digit of the alphabet being zero, with 22 digits."""
    digits = ""
    while value > 0:
        value, digit = divmod(value, 58)
        digits = BASE58[digit] + digits
    return digits.rjust(22, BASE58[0])


# Each form, with the bytes and Microsoft's order of them.
FORMS = {
    "ulid": lambda one: crockford(one.int),
    "base32hex": lambda one: base64.b32hexencode(one.bytes).decode().rstrip("="),
    "base58": lambda one: base58(one.int),
    "base64url": lambda one: base64.urlsafe_b64encode(one.bytes).decode().rstrip("="),
    "hex": lambda one: one.hex,
    "urn": lambda one: one.urn,
    "decimal": lambda one: str(one.int),
    "bytes": lambda one: one.bytes.hex(),
    "guid": lambda one: str(uuid.UUID(bytes=one.bytes_le)),
}


def respelled(text, form, rng):
    """The same in the other case here and there, and, in ulid, with its aliases."""
    swapped = "".join(rng.choice([c, c.swapcase()]) for c in text)
    if form == "ulid":
        return "".join(rng.choice({"1": "1IiLl", "0": "0Oo"}.get(c, c)) for c in swapped)
    return swapped if form in ("base32hex", "hex", "urn") else text


def values(rng):
    """The edges of each form, and random bits."""
    found = [0, MAX]
    for bit in range(128):
        found += [1 << bit, MAX ^ 1 << bit, (1 << bit) - 1, MAX ^ ((1 << bit) - 1)]
    for base in (10, 32, 58, 64):
        power = base
        while power <= MAX:
            found += [power - 1, power, power + 1]
            power *= base
    found += [rng.getrandbits(rng.randrange(1, 129)) for _ in range(1000)]
    found += [rng.getrandbits(128) for _ in range(1000)]
    return sorted(set(found))


def main():
    rng = random.Random(9562)
    for value in values(rng):
        one = uuid.UUID(int=value)
        for form, written in FORMS.items():
            text = written(one)
            print(one, form, text, respelled(text, form, rng), sep="\t")


main()
