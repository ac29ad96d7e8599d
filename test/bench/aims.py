"""Compares uuidx with its peers, and each ratio with its target."""

from harness import Table

# work, both sides, table and column, and the maximum ratio.
FUNCTIONS = [
    ("uuid_v7()", "core uuidv7()", 1 / 18),
    ("uuid_v7()", "pg_uuidv7", 1 / 18),
    ("uuid_v7()", "timescaledb", 1 / 18),
    ("uuid_v7_server()", "uuid_v7()", 1.5),
    ("uuid_v4()", "core gen_random_uuid()", 1 / 30),
    ("uuid_v1()", "uuid-ossp v1", 1 / 80),
    ("uuid_v6()", "uuid-ossp v1", 1 / 80),
    ("uuid_v5(ns, name)", "uuid-ossp v5", 1 / 7),
    ("uuid_v3(ns, name)", "uuid-ossp v3", 1 / 7),
    ("uuid_extract_time(v7)", "core uuid_extract_timestamp(v7)", 1.1),
    ("uuid_v7_min(t)", "timescaledb to_uuidv7_boundary(t)", 1),
    ("uuid_v7_max(t)", "timescaledb to_uuidv7_boundary(t)", 1),
    *((f"uuid_encode(id, '{form}')", "core uuid to text", 2) for form in ("ulid", "base58")),
    *((f"uuid_decode(text, '{form}')", "core text to uuid", 2) for form in ("ulid", "base58")),
]

KEYS = [
    ("insert", "s", "INSERT, time", "bigint identity", 0.88),
    ("insert", "s", "INSERT, time", "core uuidv7()", 0.66),
    ("insert", "s", "INSERT, time", "core gen_random_uuid()", 0.37),
    ("insert", "index MB", "INSERT, index", "core uuidv7()", 1.001),
    ("insert", "index MB", "INSERT, index", "pg_uuidv7", 0.75),
    ("copy", "s", "COPY, time", "core uuidv7()", 0.8),
]


def figures(tables, table, key, column):
    return {record[key]: record[column] for record in tables[table].records()} if table in tables else {}


def compare(rows, work, beside, ours, theirs, most, noise=0):
    """Adds a row if both figures exist; without a ratio if one is in the noise."""
    if ours is not None and theirs is not None:
        clear = min(ours, theirs) > noise
        rows.append([work, beside, ours / theirs if clear else None, theirs / ours if clear else None, most,
                     "yes" if ours <= max(noise, most * theirs) else "no"])


def measure(tables):
    """A table of ratios between figures of the other tables, by name; some may be missing."""
    rows = []
    net = figures(tables, "functions", "function", "net ns")
    for ours, theirs, most in FUNCTIONS:
        compare(rows, ours, theirs, net.get(ours), net.get(theirs), most, noise=2)
    for table, column, work, beside, most in KEYS:
        measured = figures(tables, table, "key", column)
        compare(rows, f"{work} with uuid_v7()", beside, measured.get("uuid_v7()"), measured.get(beside), most)
    for record in tables["clients"].records() if "clients" in tables else []:
        if record["key"] == "uuid_v7()":
            # For rates, higher is better.
            for head, beside in ("to bigint", "bigint identity"), ("to core v7", "core uuidv7()"):
                compare(rows, f"single-row INSERT, {record['clients']} clients, time", beside, 1, record[head], 1)
    return Table("aims", "What uuidx aims at: ratio of the medians, and whether it was reached in this run",
                 {"work": "", "beside": "", "ratio": ".3f", "times as fast": ".1f", "at most": ".3f", "reached": ""},
                 rows)
