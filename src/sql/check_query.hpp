// The queries of uuidx_check(). They run with search_path = pg_catalog, pg_temp: no name in them is
// of another role, and names in their results have their schema.
#pragma once

namespace uuidx {

// Functions that expressions in the catalog call. Those of the library are known by their symbols,
// in any schema: only superusers create functions in C (13) or internal ones (12).
inline constexpr char kKnownFunctions[] = R"(
WITH called AS (
  SELECT *, symbol IN ('uuidx_extract_v7_time', 'uuidx_extract_time', 'uuidx_extract_timestamp',
    'uuidx_extract_time_precise', 'uuid_extract_timestamp') AS is_time
  FROM pg_proc, LATERAL (SELECT CASE WHEN prolang IN (12, 13) THEN prosrc END) AS s (symbol)
  WHERE proname LIKE '%uuid%'
),
known AS MATERIALIZED (
  SELECT format(':funcid (%s) ', string_agg(oid::text, '|') FILTER (WHERE is_time)) AS extract,
    format(':funcid (%s) ', string_agg(oid::text, '|') FILTER (WHERE symbol = 'uuidx_is_v7'))
      AS is_v7,
    array_agg(oid) FILTER (WHERE proname IN ('uuid_v7', 'uuid_v7_server', 'uuidv7',
      'uuid_generate_v7', 'generate_uuidv7')) AS generators,
    format(':funcid (%s) ', string_agg(oid::text, '|') FILTER (WHERE prosupport <> 0)) AS loading,
    min(oid::regproc::text) FILTER (WHERE symbol = 'uuidx_extract_v7_time') AS v7_time,
    min(oid::regproc::text) FILTER (WHERE symbol = 'uuidx_is_v7') AS test,
    min(oid::regproc::text) FILTER (WHERE symbol = 'uuidx_time_trigger') AS time_trigger,
    -- Those that the planner puts into queries.
    min(oid::regprocedure::text) FILTER (WHERE NOT has_function_privilege('public', oid, 'EXECUTE')
      AND symbol ~ '^uuidx_(is_v7|v7_(min|max|bound)|condition|(time|beyond)_bound|check_zone|.*_tstzrange)$')
      AS forbidden
  FROM called
))";

// Columns that may be the time of a key, and keys of version 7, of the relation $1 or of all that
// the caller owns.
inline constexpr char kCandidates[] = R"(
SELECT c.oid, CASE kind WHEN 'key' THEN 'timestamptz'::regtype ELSE atttypid END::oid,
  c.oid::regclass, CASE kind WHEN 'key' THEN format('%s(%I)', v7_time, attname)
    ELSE quote_ident(attname) END, kind, attnum
FROM known, pg_class AS c JOIN pg_attribute ON attrelid = c.oid
  LEFT JOIN pg_attrdef ON adrelid = c.oid AND adnum = attnum JOIN pg_type AS type ON type.oid = atttypid,
  LATERAL (SELECT CASE
    -- By the first call, at the top: a role can create too many functions for a regular expression.
    WHEN atttypid = 'uuid'::regtype
      AND (substring(adbin::text, ':funcid (\d+) ')::oid = ANY (generators) OR EXISTS (
        SELECT FROM pg_constraint
        WHERE conrelid = c.oid AND attnum = ANY (conkey) AND conbin::text ~ is_v7)) THEN 'key'
    WHEN CASE typbasetype WHEN 0 THEN atttypid ELSE typbasetype END
      NOT IN ('timestamptz'::regtype, 'timestamp'::regtype) THEN NULL
    -- Of which constraints say that it is a time, or between two.
    WHEN attgenerated = '' AND relkind <> 'v' THEN (
      SELECT CASE WHEN text ~ '[^<>]= |DISTINCT' THEN 'equal' WHEN text ~ '<' AND text ~ '>' THEN 'near' END
      FROM (SELECT string_agg(pg_get_expr(conbin, conrelid), ' AND ') AS text FROM pg_constraint
        WHERE conrelid = c.oid AND attnum = ANY (conkey) AND conbin::text ~ extract) AS bounds)
    WHEN relkind = 'v' THEN 'view'
    WHEN adbin::text ~ extract THEN CASE attgenerated WHEN 's' THEN 'stored' ELSE 'virtual' END
    END) AS k (kind)
WHERE kind IS NOT NULL AND c.oid >= 16384 AND relkind <> 'f'
  AND CASE WHEN $1 IS NULL THEN attinhcount = 0 AND relowner = quote_ident(current_user)::regrole
    ELSE c.oid = $1 END
  AND NOT pg_is_other_temp_schema(relnamespace) AND has_column_privilege(c.oid, attnum, 'SELECT'))";

// The rows of uuidx_check() for findings in JSON, $1, by whether the library is preloaded, $2.
inline constexpr char kReasons[] = R"(,
session AS MATERIALIZED (
  SELECT datname, $2 OR EXISTS (SELECT FROM pg_db_role_setting, unnest(setconfig) AS entry
      WHERE setrole = 0 AND setdatabase = d.oid AND entry ~ '^(session|local)_preload.*\muuidx\M')
      AS loads,
    -- Where it is off: a setting of the database does not change one of a role or a session.
    CASE WHEN setting = 'off' THEN concat(CASE source
        WHEN 'database user' THEN format('ALTER ROLE %I IN DATABASE %I ', session_user, datname)
        WHEN 'user' THEN format('ALTER ROLE %I ', session_user)
        WHEN 'client' THEN '' WHEN 'session' THEN ''
        ELSE format('ALTER DATABASE %I ', datname) END, 'SET uuidx.enable_time_columns = on')
      END AS turn_on
  FROM pg_database AS d, pg_settings
  WHERE datname = current_database() AND name = 'uuidx.enable_time_columns'
),
checked AS MATERIALIZED (
  SELECT f.*, a.attname, id.attname AS key_name, id.atttypid AS key_type, t.relname,
    t.relnamespace::regnamespace AS schema, format('%s(%I)', test, id.attname) AS proof,
    format('ALTER TABLE %s', f.key_table::regclass) AS alter_table,
    quote_ident(CASE WHEN NOT id.attnotnull THEN id.attname WHEN NOT a.attnotnull THEN a.attname END) AS nullable,
    a.atttypid AS time_type, t.relkind,
    bool_or(kind <> 'key') OVER (PARTITION BY key_table, key) AS has_column
  FROM known, LATERAL (SELECT *, kind = 'near' OR sorted AS in_order, kind IN ('equal', 'near') AS is_ordinary
      FROM json_to_recordset($1::json) AS f (relation oid, number smallint, kind text, key_table oid, key smallint,
        extractor oid, blocked boolean, condition boolean, sorted boolean, family oid[], failure text)) AS f
    JOIN pg_attribute AS a ON a.attrelid = relation AND a.attnum = number
    JOIN pg_class AS t ON t.oid = key_table
    JOIN pg_attribute AS id ON id.attrelid = key_table AND id.attnum = key
),
checks AS MATERIALIZED (
  SELECT conrelid, conkey, conbin, quote_ident(conname) AS name, pg_get_expr(conbin, conrelid) AS expression,
    CASE WHEN to_jsonb(c) ->> 'conenforced' = 'false' THEN 'NOT ENFORCED'
      WHEN connoinherit AND EXISTS (SELECT FROM pg_inherits WHERE inhparent = conrelid) THEN 'NO INHERIT'
      WHEN NOT convalidated THEN 'NOT VALID' END AS fault
  FROM pg_constraint AS c
  WHERE conrelid IN (SELECT key_table FROM checked WHERE failure = '')
)
SELECT relation::regclass, attname, kind, CASE kind WHEN 'key' THEN quote_ident(attname)
    WHEN 'view' THEN format('%s(%I)', extractor::regproc, key_name)
    WHEN 'equal' THEN bounds WHEN 'near' THEN bounds
    ELSE (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef
      WHERE failure = '' AND adrelid = relation AND adnum = number) END, worst.problem, worst.remedy
FROM known, session, checked
  -- The first of the tables that lacks an index on the key, and that lacks one on its version 7.
  LEFT JOIN LATERAL (
    SELECT min(p.oid::regclass::text) FILTER (WHERE whole IS NOT TRUE) AS bare,
      min(p.oid::regclass::text) FILTER (WHERE partial IS NOT TRUE) AS unproved,
      min(invalid) AS invalid
    FROM pg_class AS p JOIN pg_attribute AS a ON attrelid = p.oid AND a.attname = key_name,
      LATERAL (
        SELECT bool_or(indisvalid AND (indpred IS NULL OR is_partial)
            AND (in_order OR attnotnull OR indoption[0] IN (0, 3))) AS whole,
          bool_or(indisvalid AND is_partial) AS partial,
          min(indexrelid::regclass::text) FILTER (WHERE NOT indisvalid) AS invalid
        FROM pg_index JOIN pg_class AS i ON i.oid = indexrelid AND i.relam = 403,  -- B-trees
          LATERAL (SELECT pg_get_expr(indpred, indrelid) = proof) AS predicate (is_partial)
        WHERE indrelid = p.oid AND indkey[0] = attnum) AS indexes
    WHERE p.oid = ANY (family) AND relkind = 'r') AS tables ON true
  LEFT JOIN LATERAL (
    SELECT name, fault FROM checks
    -- By the function, too: an older overload for any type reads the same.
    WHERE conrelid = key_table AND conbin::text ~ is_v7 AND expression = proof
    ORDER BY fault NULLS FIRST LIMIT 1) AS proofs ON true
  -- The constraints of an ordinary column, and the first that does not count.
  LEFT JOIN LATERAL (
    SELECT name AS bound, fault AS bound_fault, expression AS text,
      string_agg(expression, ' AND ') OVER (ORDER BY name ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
        AS bounds
    FROM checks
    WHERE is_ordinary AND conrelid = key_table AND number = ANY (conkey) AND conbin::text ~ extract
    ORDER BY fault, name LIMIT 1) AS bounds ON true
  -- Whether a sample of the keys is of version 7, and whether new ones are; NULL if not known.
  CROSS JOIN LATERAL (
    SELECT (SELECT bool_and(nullif(concat(histogram_bounds, most_common_vals), '')
          !~ '\m[0-9a-f]{8}-.{4}-([^7]|.{5}[^89ab])')
        FROM pg_class AS p JOIN pg_namespace AS n ON n.oid = p.relnamespace
          JOIN pg_stats AS s ON schemaname = nspname AND tablename = p.relname
        WHERE p.oid = ANY (family) AND s.attname = key_name) AS sampled,
      (SELECT substring(adbin::text, ':funcid (\d+) ')::oid = ANY (generators) FROM pg_attrdef
        WHERE adrelid = key_table AND adnum = key) AS made) AS versions
  CROSS JOIN LATERAL (
    -- Without a CHECK, order by the time is not expected of a key without a time column, nor of one
    -- that is known to have other versions.
    SELECT NOT condition OR NOT in_order AND unproved IS NOT NULL
        AND (name IS NOT NULL OR kind <> 'key') AS slow,
      sampled IS NOT FALSE AND made IS NOT FALSE AS may_be_pure,
      'CREATE INDEX CONCURRENTLY ON ' || unproved || format(' (%I) WHERE %s', key_name, proof) AS add_index,
      NOT loads AND kind <> 'key' AND (kind <> 'view' OR format(':funcid %s ', extractor) !~ loading)
        AND NOT EXISTS (SELECT FROM pg_statistic_ext
          WHERE stxrelid = key_table AND stxexprs::text ~ loading)
        AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = key_table
          AND concat(indexprs::text, indpred::text) ~ loading) AS absent
    ) AS facts
  LEFT JOIN LATERAL (
    SELECT problem, remedy FROM (VALUES
      (1, failure <> '', failure, NULL),
      (2, turn_on IS NOT NULL, 'uuidx.enable_time_columns is off', turn_on),
      (3, forbidden IS NOT NULL, format('not every role may execute %s', forbidden),
        format('GRANT EXECUTE ON FUNCTION %s TO PUBLIC', forbidden)),
      (4, key_type <> 'uuid'::regtype, format('the type of %I is not uuid', key_name), NULL),
      (5, bare IS NOT NULL AND invalid IS NOT NULL, format('the index %s is INVALID', invalid),
        format('REINDEX INDEX CONCURRENTLY %s', invalid)),
      (6, bare IS NOT NULL, format('no B-tree index of %s begins with %I', bare, key_name),
        format('CREATE INDEX CONCURRENTLY ON %s (%I)', bare, key_name)),
      -- What makes the constraints of an ordinary column no proof, whatever they say.
      (7, is_ordinary AND relkind = 'r' AND cardinality(family) > 1,
        'the table has children by inheritance', NULL),
      (8, is_ordinary AND EXISTS (SELECT FROM pg_class WHERE oid = ANY (family) AND relkind = 'f'),
        'a partition is a foreign table', NULL),
      (9, is_ordinary AND time_type NOT IN ('timestamptz'::regtype, 'timestamp'::regtype),
        format('the type of %I is a domain', attname), NULL),
      (10, slow AND is_ordinary AND nullable IS NOT NULL, format('%s may be NULL', nullable),
        format('%s ALTER %s SET NOT NULL', alter_table, nullable)),
      -- A CHECK of which old rows are a violation forbids to update them. So it is added by one
      -- statement, which fails as a whole, and only if the keys are not known to be others.
      (11, slow AND unproved IS NOT NULL AND name IS NULL, format('no CHECK (%s)', proof),
        CASE WHEN may_be_pure AND (sampled OR made) THEN format('%s ADD CHECK (%s)', alter_table, proof)
        WHEN NOT is_ordinary THEN add_index END),
      (12, slow AND fault IS NOT NULL, format('the CHECK %s is %s', name, fault),
        CASE WHEN NOT may_be_pure
          THEN concat_ws('; ', format('%s DROP CONSTRAINT %s', alter_table, name), add_index)
        WHEN fault = 'NOT VALID' THEN format('%s VALIDATE CONSTRAINT %s', alter_table, name)
        ELSE format('%s DROP CONSTRAINT %s, ADD CHECK (%s)', alter_table, name, proof) END),
      (13, slow AND bound_fault IS NOT NULL, format('the CHECK %s is %s', bound, bound_fault),
        CASE bound_fault WHEN 'NOT VALID' THEN format('%s VALIDATE CONSTRAINT %s', alter_table, bound)
        ELSE format('%s DROP CONSTRAINT %s, ADD CHECK (%s)', alter_table, bound, text) END),
      (14, slow AND bound IS NOT NULL, format('the CHECK %s is in no form that is served', bound), NULL),
      (15, slow, 'the planner does not use the index of the key', NULL),
      (16, blocked, 'the view keeps conditions or order from the table', NULL),
      -- By another time than that of the key, which uuid_time_trigger() cannot set, the column may be equal as well.
      (17, kind = 'equal' AND regexp_replace(bounds, '''(Etc/)?UTC''', '') !~ '''' AND NOT EXISTS (
          SELECT FROM pg_trigger JOIN pg_proc AS f ON f.oid = tgfoid
          WHERE tgrelid = key_table AND tgtype & 7 = 7 AND tgenabled IN ('O', 'A')  -- BEFORE INSERT FOR EACH ROW
            AND (strpos(prosrc, attname) > 0
              OR position(convert_to(attname, getdatabaseencoding()) IN tgargs) > 0)),
        format('no trigger sets %I', attname),
        format('CREATE OR REPLACE TRIGGER %I BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION %s(%L, %L)',
          'zz_' || attname || '_by_key', key_table::regclass, time_trigger, key_name, attname)),
      (18, absent, 'new sessions do not load uuidx before the first query',
        format('CREATE STATISTICS %s.%I ON (%s) FROM %s', schema, relname || '_uuidx', proof, key_table::regclass))
      ) AS reason (number, applies, problem, remedy)
    WHERE applies ORDER BY reason.number LIMIT 1) AS worst ON true
WHERE kind <> 'key' OR NOT has_column
ORDER BY relation::regclass::text, attname)";

}  // namespace uuidx
