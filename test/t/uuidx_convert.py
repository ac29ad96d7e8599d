"""Judges the conversions of uuidx by Python's own, or by what their specifications say.

Usage: uuidx_convert.py values|spellings|broken > ROWS, in the format of COPY, makes what is to be
converted. uuidx_convert.py forms|versions < ROWS, their columns separated by '|', and
uuidx_convert.py decoded < ROWS, each a JSON array, print every row that differs, then how many were
compared.
"""

import base64
import hashlib
import json
import random
import re
import sys
import uuid

MAX = 2**128 - 1
TICKS_AT_UNIX_EPOCH = 0x01B21DD213814000
WRONG_VERSION = "22023"
OUT_OF_RANGE = "22008"
BAD_TEXT = "22P02"

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BASE32HEX = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
FORMS = ["ulid", "base32hex", "base58", "base64url", "hex", "urn", "decimal"]


# The forms, written

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


def written(value, form):
    """A number of 128 bits in a form."""
    octets = value.to_bytes(16, "big")
    return {
        "ulid": lambda: crockford(value),
        "base32hex": lambda: base64.b32hexencode(octets).decode().rstrip("="),
        "base58": lambda: base58(value),
        "base64url": lambda: base64.urlsafe_b64encode(octets).decode().rstrip("="),
        "hex": lambda: uuid.UUID(int=value).hex,
        "urn": lambda: uuid.UUID(int=value).urn,
        "decimal": lambda: str(value),
    }[form]()


def canonical(text, form):
    """A text as the form is written: the other case and, in ulid, I, L and O, mean the same."""
    if form == "ulid":
        return text.upper().translate(str.maketrans("ILO", "110"))
    if form == "base32hex":
        return text.upper()
    if form in ("hex", "urn"):
        return text.lower()
    return text


# The forms, read: either a number, or the position from 1 and the character of the first fault, which
# has none where the text ends too early.

def fault(text, index):
    """The fault at an index from 0."""
    return (index + 1, text[index:index + 1])


def read_fixed(text, length, allowed, finish):
    """Reads a form of one length; allowed(i) are the characters that may be at index i."""
    for i in range(min(len(text), length)):
        if text[i] not in allowed(i):
            return fault(text, i)
    if len(text) != length:
        return fault(text, min(len(text), length))
    return finish(text)


def read_number(text, digits, most):
    """Reads a number of at most so many digits, the first of which is zero."""
    value = 0
    for i, character in enumerate(text[:most]):
        if character not in digits:
            return fault(text, i)
        value = value * len(digits) + digits.index(character)
        if value > MAX:
            return fault(text, i)
    return value


def read_urn(text):
    """RFC 9562 section 4, whose letters may be of either case."""
    template = "urn:uuid:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"

    def allowed(i):
        if template[i] == "x":
            return "0123456789abcdefABCDEF"
        return template[i] + template[i].upper()

    # The 'x's of the template are digits only behind the prefix, which has none.
    return read_fixed(text, len(template), allowed, lambda t: uuid.UUID(t.lower()).int)


def read(text, form):
    """What a text is in a form."""
    if form == "ulid":
        every = CROCKFORD + CROCKFORD.lower() + "ILOilo"
        return read_fixed(text, 26, lambda i: "01234567ILOilo" if i == 0 else every,
                          lambda t: sum(CROCKFORD.index(c) << 5 * (25 - i)
                                        for i, c in enumerate(canonical(t, form))))
    if form == "base32hex":
        every = BASE32HEX + BASE32HEX.lower()
        # Of the last digit three bits count; the other two are zero.
        return read_fixed(text, 26, lambda i: every if i < 25 else "048CGKOScgkos",
                          lambda t: int.from_bytes(base64.b32hexdecode(t.upper() + "======"), "big"))
    if form == "base64url":
        # Of the last digit two bits count; the other four are zero.
        return read_fixed(text, 22, lambda i: BASE64URL if i < 21 else "AQgw",
                          lambda t: int.from_bytes(base64.urlsafe_b64decode(t + "=="), "big"))
    if form == "hex":
        return read_fixed(text, 32, lambda i: "0123456789abcdefABCDEF", lambda t: int(t, 16))
    if form == "urn":
        return read_urn(text)
    if form == "base58":
        value = read_number(text, BASE58, 22)
        return fault(text, min(len(text), 22)) if isinstance(value, int) and len(text) != 22 else value
    if text == "" or text[0] == "0" and len(text) > 1:
        return fault(text, 0)
    return read_number(text, "0123456789", None)


# The versions, by the field definitions of RFC 9562 section 5

def fields(value, widths):
    """The fields of a number of 128 bits, given their widths from the most significant bit."""
    bits = f"{value:0128b}"
    found = []
    for width in widths:
        found.append(int(bits[:width], 2))
        bits = bits[width:]
    return found


def joined(*pairs):
    """The number whose fields have these values and widths, as a UUID."""
    return uuid.UUID(int=int("".join(f"{value:0{width}b}" for value, width in pairs), 2))


def version_of(value):
    """The version, None off the variant of RFC 9562."""
    return uuid.UUID(int=value).version


def ticks_of(value):
    """The time of a version 1 or 6 in 100 ns since 1582, and the 62 bits behind the variant."""
    if version_of(value) == 1:
        low, mid, _, high, _, rest = fields(value, [32, 16, 4, 12, 2, 62])
        return high << 48 | mid << 32 | low, rest
    high, mid, _, low, _, rest = fields(value, [32, 16, 4, 12, 2, 62])
    return high << 28 | mid << 12 | low, rest


def as_v1(ticks, rest):
    """Section 5.1."""
    return joined((ticks & 0xFFFFFFFF, 32), (ticks >> 32 & 0xFFFF, 16), (1, 4), (ticks >> 48, 12),
                  (2, 2), (rest, 62))


def as_v6(ticks, rest):
    """Section 5.6."""
    return joined((ticks >> 28, 32), (ticks >> 12 & 0xFFFF, 16), (6, 4), (ticks & 0xFFF, 12),
                  (2, 2), (rest, 62))


def to_v7(value):
    """Section 5.7, with the fraction of section 6.2 method 3, in the source's microsecond, and a
    digest of the version 6.
    """
    if version_of(value) not in (1, 6):
        return WRONG_VERSION
    ticks, rest = ticks_of(value)
    if ticks < TICKS_AT_UNIX_EPOCH:
        return OUT_OF_RANGE
    millis, part = divmod(ticks - TICKS_AT_UNIX_EPOCH, 10000)
    # A step of which the source's microsecond is the floor: that of the tick, or else the next one.
    fraction = part * 4096 // 10000
    if fraction * 1000 // 4096 < part // 10:
        fraction += 1
    digest = hashlib.sha256(as_v6(ticks, rest).bytes).digest()
    return joined((millis, 48), (7, 4), (fraction, 12), (2, 2),
                  (int.from_bytes(digest[:8], "big") % 2**62, 62))


# UUIDv47

def siphash_2_4(key, message):
    """SipHash: a fast short-input PRF, section 2, with c = 2 and d = 4."""
    def rotl(word, by):
        return (word << by | word >> 64 - by) & 0xFFFFFFFFFFFFFFFF

    def sip_round(v0, v1, v2, v3):
        v0, v2 = (v0 + v1) % 2**64, (v2 + v3) % 2**64
        v1, v3 = rotl(v1, 13) ^ v0, rotl(v3, 16) ^ v2
        v0 = rotl(v0, 32)
        v2, v0 = (v2 + v1) % 2**64, (v0 + v3) % 2**64
        v1, v3 = rotl(v1, 17) ^ v2, rotl(v3, 21) ^ v0
        return v0, v1, rotl(v2, 32), v3

    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    text = b"somepseudorandomlygeneratedbytes"
    state = [k ^ int.from_bytes(text[8 * i:8 * i + 8], "big") for i, k in enumerate([k0, k1] * 2)]
    padded = message + bytes(-(len(message) + 1) % 8) + bytes([len(message) % 256])
    for i in range(0, len(padded), 8):
        word = int.from_bytes(padded[i:i + 8], "little")
        state[3] ^= word
        state = list(sip_round(*sip_round(*state)))
        state[0] ^= word
    state[2] ^= 0xFF
    for _ in range(4):
        state = list(sip_round(*state))
    return state[0] ^ state[1] ^ state[2] ^ state[3]


# The test values of the paper's appendix A.
assert siphash_2_4(bytes(range(16)), bytes(range(15))) == 0xA129CA6149BE45E5


def v47(value, key, of_version, version):
    """The version 4 mask, or its inverse: the time XORed with the low 48 bits of the MAC of the random bits."""
    if version_of(value) != of_version:
        return WRONG_VERSION
    time, _, rand_a, _, rand_b = fields(value, [48, 4, 12, 2, 62])
    mac = siphash_2_4(key, rand_a.to_bytes(2, "big") + rand_b.to_bytes(8, "big"))
    return joined((time ^ mac % 2**48, 48), (version, 4), (rand_a, 12), (2, 2), (rand_b, 62))


# What is to be converted

def values():
    """The edges of each form and version, and random bits under all versions."""
    rng = random.Random(9562)
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

    times = [0, 1, 2**60 - 1, 2**60 - 2]
    times += [1 << bit for bit in range(60)]
    times += [2**60 - 1 ^ 1 << bit for bit in range(60)]
    # Around 1970, each digit of rand_a's fraction, and where a millisecond ends.
    times += [TICKS_AT_UNIX_EPOCH + near for near in range(-3, 4)]
    times += [TICKS_AT_UNIX_EPOCH + part for part in range(0, 20001, 7)]
    times += [TICKS_AT_UNIX_EPOCH + 10000 * rng.randrange(2**40) + near
              for near in (-1, 0, 1, 9999) for _ in range(50)]
    times += [rng.getrandbits(60) for _ in range(1000)]
    for ticks in times:
        rest = rng.choice([0, 2**62 - 1, rng.getrandbits(62), rng.getrandbits(62)])
        found += [make(ticks, rest).int for make in (as_v1, as_v6)]

    for version in list(range(16)) + [4, 7] * 400:
        found.append(joined((rng.choice([0, 2**48 - 1, rng.getrandbits(48), rng.getrandbits(48)]), 48),
                            (version, 4), (rng.choice([0, 0xFFF, rng.getrandbits(12)]), 12),
                            (2, 2), (rng.choice([0, 2**62 - 1, rng.getrandbits(62)]), 62)).int)
    return sorted(set(found))


def print_values():
    """Rows of a UUID and a key."""
    rng = random.Random(47)
    for value in values():
        key = rng.choice([bytes(16), bytes(range(16)), b"\xff" * 16] + 9 * [rng.randbytes(16)])
        print(uuid.UUID(int=value), "\\\\x" + key.hex(), sep="\t")


def respelled(text, form, rng):
    """The same in the other case here and there, and, in ulid, with its aliases."""
    swapped = "".join(rng.choice([c, c.swapcase()]) for c in text)
    if form == "ulid":
        return "".join(rng.choice({"1": "1IiLl", "0": "0Oo"}.get(c, c)) for c in swapped)
    return swapped if form in ("base32hex", "hex", "urn") else text


def print_spellings():
    """Rows of a UUID, a form, and a text of it that the form may be read from."""
    rng = random.Random(32)
    for value in values():
        for form in FORMS:
            print(uuid.UUID(int=value), form, respelled(written(value, form), form, rng), sep="\t")


# Digits of other forms, padding, signs, white space, what a printf or a C string would mind, letters
# that become ASCII in another case, digits that are not ASCII, characters of 2 to 4 octets.
ODD = list("0189aAfFgGhHIiJjLlOoUuVvWwZz-_+/=.:{} \t\n\r\\\"'%\x01\x7f") + [
    "%s", "%n", "\u00e9", "\u017f", "\u212a", "\u0130", "\uff11", "\u0661", "\u65e5", "\u0301",
    "\ufeff", "\U0001d7d8", "\U0001f600"]


def mutated(text, form, rng):
    """A text after one to three edits, few of which leave it valid."""
    own = written(rng.getrandbits(128), form)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(text) + 1)
        rest = at + rng.randrange(1, 4)
        text = rng.choice([
            lambda: text[:at] + rng.choice(ODD) + text[at + 1:],
            lambda: text[:at] + rng.choice(own) + text[at + 1:],
            lambda: text[:at] + rng.choice(ODD) + text[at:],
            lambda: text[:at] + rng.choice(own) + text[at:],
            lambda: text[:at] + text[rest:],
            lambda: text[:at] + text[at:rest][::-1] + text[rest:],
            lambda: text[:at],
            lambda: text + rng.choice(own),
            lambda: text + rng.choice(ODD),
            lambda: rng.choice(own + "z") + text[1:],
            lambda: text[:-1] + rng.choice(own),
            lambda: text[:at].swapcase() + text[at:],
        ])()
    return text


def broken(form):
    """Texts for a form: none at all, those of other forms, far too long ones, and mutated ones."""
    rng = random.Random(form)
    few = [0, 1, MAX, MAX - 1] + [rng.getrandbits(128) for _ in range(6)]
    found = ["", " ", "\u00e9", "\U0001f600", "-1", "+1", "1.0", "0x1", "00", "0", str(MAX + 1),
             str(10 * MAX), "7" + "Z" * 25, "8" + "0" * 25, "z" * 22, base58(MAX + 1), "1" * 21,
             "1" * 23, "{" + str(uuid.UUID(int=MAX)) + "}", str(uuid.UUID(int=MAX))]
    for value in few:
        text = written(value, form)
        found += [text, text + text, " " + text, text + " ", text + "=", text + "\u65e5",
                  "\u65e5" + text, text + "0" * 100000, "0" * 100000 + text, text[:-1], text[1:]]
        found += [written(value, other) for other in FORMS]
    found += [mutated(written(rng.choice([rng.choice(few), rng.getrandbits(128)]), form), form, rng)
              for _ in range(4000)]
    return found


def print_broken():
    """Rows of a form and a text, escaped as COPY wants it."""
    escapes = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
    for form in FORMS:
        for text in broken(form):
            print(form, "".join(escapes.get(c, c) for c in text), sep="\t")


# Judging

def expected_forms(text):
    """Given a UUID: all forms, the octets, and the order of a Microsoft GUID."""
    value = uuid.UUID(text)
    return [written(value.int, form) for form in FORMS] + [
        value.bytes.hex(), str(uuid.UUID(bytes=value.bytes_le))]


def expected_versions(text, key):
    """Given a UUID and a key: version 1 to 6, 6 to 1, either to 7, 7 to 4 and 4 to 7."""
    value = uuid.UUID(text).int
    key = bytes.fromhex(key)
    version = version_of(value)
    return [str(one) for one in (
        as_v6(*ticks_of(value)) if version == 1 else WRONG_VERSION,
        as_v1(*ticks_of(value)) if version == 6 else WRONG_VERSION,
        to_v7(value), v47(value, key, 7, 4), v47(value, key, 4, 7))]


def judge_rows(given, expected_of):
    """Compares the columns behind the given ones with what is expected of these."""
    compared = 0
    for line in sys.stdin:
        columns = line.rstrip("\n").split("|")
        expected = expected_of(*columns[:given])
        if columns[given:] != expected:
            print("differs:", columns, "expected:", expected)
        compared += 1
    print("compared", compared)


def place_in(detail):
    """The position and the character that an error names."""
    named = re.search(r'"(.*)" at position (\d+)', detail, re.DOTALL)
    if named:
        return (int(named[2]), named[1])
    ended = re.fullmatch(r"Unexpected end of text at position (\d+)\.", detail)
    return (int(ended[1]), "") if ended else None


def judge_decoded():
    """Compares what was read of each text, or the error, with our own reading."""
    good = bad = 0
    for line in sys.stdin:
        form, text, state, found, again, message, detail = json.loads(line)
        expected = read(text, form)
        if isinstance(expected, int):
            good += 1
            right = (state == "00000" and found == str(uuid.UUID(int=expected))
                     and again == canonical(text, form) == written(expected, form))
        else:
            bad += 1
            right = (state == BAD_TEXT and place_in(detail) == expected
                     and message == f'invalid input syntax for UUID format "{form}": "{text}"')
        if not right:
            print("differs:", line[:400], "expected:", expected)
    # Mutations that are all of one kind would test nothing.
    if good < 500 or bad < 2000:
        print("too few:", good, "good,", bad, "bad")
    print("compared", good + bad)


def main():
    # Whatever the locale of the test is.
    for stream in (sys.stdin, sys.stdout):
        stream.reconfigure(encoding="utf-8")
    {
        "values": print_values,
        "spellings": print_spellings,
        "broken": print_broken,
        "forms": lambda: judge_rows(1, expected_forms),
        "versions": lambda: judge_rows(2, expected_versions),
        "decoded": judge_decoded,
    }[sys.argv[1]]()


main()
