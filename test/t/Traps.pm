# Functions and operators that a script of sql/ would call instead of those of pg_catalog if its names depended on the
# search_path. They raise an error.
package Traps;

use Helpers;
use Portable;

# Creates functions with the names of those that a script (sql/portable/uuidx.sql by default) calls: each of core's
# with one argument of another type, which would win if that of pg_catalog had to convert the argument, or with types
# instead of `any` and its like. A user's functions cannot have the pseudo-type cstring.
sub plant_functions($node, $database, $schema, $role, $script = $Portable::script) {
  my $names = join ', ', map { "'$_'" } slurp_file($script) =~ /\b([a-z]\w*)\(/g;
  my $body = q{RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$};
  $node->safe_psql($database, qq{
    SELECT format('CREATE FUNCTION $schema.%I(%s) %s', proname, arguments, \$body\$$body\$body\$)
      FROM (
        SELECT DISTINCT proname, CASE WHEN list ~ 'any'
            THEN regexp_replace(regexp_replace(list, 'any\\w*array', type || '[]', 'g'), '"any"|any\\w*', type, 'g')
            ELSE array_to_string(types[:n - 1] || type || types[n + 1:], ', ') END AS arguments
          FROM pg_proc, oidvectortypes(proargtypes) AS list, string_to_array(list, ', ') AS types,
            generate_subscripts(types, 1) AS n, unnest('{integer,bigint,smallint,numeric,double precision,text,name,
              bytea,boolean,oid,uuid,timestamp with time zone,timestamp without time zone,interval,tstzrange,
              tstzmultirange}'::text[]) AS type
          WHERE pronamespace = 'pg_catalog'::regnamespace AND proname IN ($names)) AS wanted
      WHERE arguments !~ 'cstring|internal' \\gexec}, extra_params => [ '-U', $role ]);
}

# Returns which functions and operators, outside of pg_catalog and of themselves, the functions in a schema use.
sub outside($node, $database, $schema) {
  return $node->safe_psql($database, qq{
    SELECT p.oid::regprocedure, pg_describe_object(refclassid, refobjid, 0)
      FROM pg_proc AS p JOIN pg_depend ON classid = p.tableoid AND objid = p.oid
      WHERE pronamespace = '$schema'::regnamespace AND prosrc !~ 'hijacked|trapped'
        AND (refclassid = 'pg_proc'::regclass AND refobjid NOT IN (
            SELECT oid FROM pg_proc WHERE pronamespace = '$schema'::regnamespace AND prosrc !~ 'hijacked|trapped')
          OR refclassid = 'pg_operator'::regclass AND refobjid NOT IN (
            SELECT o.oid FROM pg_operator AS o JOIN pg_proc AS f ON f.oid = oprcode
              WHERE oprnamespace = '$schema'::regnamespace AND prosrc !~ 'hijacked|trapped'))});
}

# Creates operators of the common types that raise an error: those that pg_catalog has as well, or those that it lacks,
# which would win where it has to convert an operand.
sub plant_operators($node, $database, $schema, $in_catalog) {
  $node->safe_psql($database, qq{
    SET search_path = $schema;
    DO \$do\$
    DECLARE
        types regtype[] := '{integer,bigint,numeric,text,bytea,uuid,timestamptz,timestamp,interval,smallint}';
        catalog_types regtype[] := '{text,name,name[],oid,regproc,regprocedure,regoperator,regtype,regnamespace}';
        wanted record;
    BEGIN
        FOR wanted IN SELECT l, r, name, coalesce(oprresult, 'boolean'::regtype)::regtype AS result
            FROM (SELECT l, r, name FROM unnest(types) AS l, unnest(types) AS r,
                unnest('{+,-,*,/,%,||,<,<=,=,>=,>,<>,&,|,<<,>>,~}'::text[]) AS name
              UNION SELECT l, r, name FROM unnest(catalog_types) AS l, unnest(catalog_types) AS r,
                unnest('{||,=,<>}'::text[]) AS name) AS operand
              LEFT JOIN pg_operator ON oprname = name AND oprleft = l AND oprright = r AND oprnamespace = 11
            WHERE (oprname IS NOT NULL) = $in_catalog
        LOOP
            EXECUTE format('CREATE OR REPLACE FUNCTION %I(%s, %s) RETURNS %s LANGUAGE plpgsql IMMUTABLE '
                'AS \$\$ BEGIN RAISE ''hijacked''; END \$\$',
                format('trap_%s', wanted.result), wanted.l, wanted.r, wanted.result);
            EXECUTE format('CREATE OPERATOR %s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = %I)', wanted.name, wanted.l,
                wanted.r, format('trap_%s', wanted.result));
        END LOOP;
    END
    \$do\$});
}

1;
