"""The kinds of primary keys that the benchmark compares, and tables with them."""

import dataclasses

from harness import create_peers, exists, psql


@dataclasses.dataclass(frozen=True)
class Key:
    name: str
    table: str
    column: str  # its definition
    needs: str | None = None  # function that must exist
    index: str | None = None  # column of a second index
    trigger: str | None = None  # function that is called for each row


KEYS = [
    Key("uuid_v7()", "key_v7", "uuid PRIMARY KEY DEFAULT uuid_v7()"),
    Key("uuid_v7_server()", "key_server", "uuid PRIMARY KEY DEFAULT uuid_v7_server()"),
    Key("core uuidv7()", "key_core", "uuid PRIMARY KEY DEFAULT pg_catalog.uuidv7()", "uuidv7()"),
    Key("pg_uuidv7", "key_pg_uuidv7", "uuid PRIMARY KEY DEFAULT uuid_generate_v7()", "uuid_generate_v7()"),
    Key("core gen_random_uuid()", "key_random", "uuid PRIMARY KEY DEFAULT gen_random_uuid()"),
    Key("bigint identity", "key_bigint", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
]

V7 = "uuid PRIMARY KEY DEFAULT uuid_v7() CHECK (uuid_is_v7(id))"
# Distinct times, as single-row transactions have with now(): equal ones would make a small index.
ORDINARY = "created_at timestamptz NOT NULL DEFAULT clock_timestamp()"
SAVING = [
    Key("key", "saving_key", V7),
    Key("key, stored time column", "saving_stored",
        f"{V7}, created_at timestamptz GENERATED ALWAYS AS (uuid_extract_v7_time(id)) STORED"),
    Key("key, created_at near its time", "saving_near",
        f"{V7}, {ORDINARY} CHECK (created_at >= uuid_extract_v7_time(id) - interval '1 hour' "
        "AND created_at <= uuid_extract_v7_time(id) + interval '1 minute')"),
    Key("key, created_at by trigger", "saving_trigger",
        f"{V7}, {ORDINARY} CHECK (created_at = uuid_extract_v7_time(id))",
        trigger="uuid_time_trigger('id', 'created_at')"),
    Key("key, created_at and index", "saving_created_at", f"uuid PRIMARY KEY DEFAULT uuid_v7(), {ORDINARY}",
        index="created_at"),
]


def find_keys():
    """The kinds that this server supports."""
    psql("CREATE EXTENSION IF NOT EXISTS uuidx")
    create_peers("pg_uuidv7")
    return [key for key in KEYS if key.needs is None or exists(key.needs)]


def make_tables(keys):
    """Creates new tables, without pending writes of the old ones."""
    psql("".join(f"DROP TABLE IF EXISTS {key.table}; CREATE TABLE {key.table} (id {key.column}, n int);\n"
                 + (f"CREATE INDEX ON {key.table} ({key.index});\n" if key.index else "")
                 + (f"CREATE TRIGGER changes BEFORE INSERT OR UPDATE ON {key.table} FOR EACH ROW "
                    f"EXECUTE FUNCTION {key.trigger};\n" if key.trigger else "")
                 for key in keys) + "CHECKPOINT;")
