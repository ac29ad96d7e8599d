# Functions and operators that sql/portable/uuidx.sql would call instead of those of pg_catalog if its names depended on
# the search_path. They raise an error.
package Traps;

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Portable;
use PostgreSQL::Test::Utils;

# Finds the argument types of a call, by an error for each: with the functions of pg_catalog under other names, a
# statement is run again and again, each time with one more of the functions that it has asked for. These are made anew
# for each statement, as a call would also use one with similar arguments.
my $find_calls = q{
  SET allow_system_table_mods = on;
  CREATE TABLE call (signature text PRIMARY KEY, result text NOT NULL);
  CREATE FUNCTION find_calls(statement text) RETURNS void LANGUAGE plpgsql AS $find_calls$
  DECLARE
      message text;
      wanted text[];
      result text;
      body text;
  BEGIN
      LOOP
          BEGIN
              EXECUTE statement;
              EXIT;
          EXCEPTION WHEN undefined_function THEN
              GET STACKED DIAGNOSTICS message = MESSAGE_TEXT;
          END;
          wanted := hidden_regexp_match(hidden_replace(message, 'unknown', 'text'),
              '^function (?:pg_catalog\.)?(\w+)\((.*)\) does not exist$');
          -- A type's input and output functions work on cstring, which only internal functions can.
          SELECT prorettype::regtype::text, hidden_format('LANGUAGE internal AS %L', prosrc) INTO result, body
              FROM pg_proc WHERE proname = 'hidden_' || wanted[1]
                AND (proargtypes[0] = 'cstring'::regtype OR prorettype = 'cstring'::regtype);
          IF NOT FOUND THEN
              EXECUTE hidden_format('CREATE VIEW result AS SELECT * FROM hidden_%s(%s) AS result', wanted[1],
                  (SELECT string_agg('NULL::' || type, ', ') FROM hidden_string_to_table(wanted[2], ', ') AS type));
              SELECT CASE count(*) WHEN 1 THEN min(hidden_format_type(atttypid, NULL))
                    ELSE 'TABLE (' || string_agg(attname || ' ' || hidden_format_type(atttypid, NULL), ', ') || ')' END
                  INTO result FROM pg_attribute WHERE attrelid = 'result'::regclass;
              DROP VIEW result;
              IF EXISTS (SELECT FROM pg_proc WHERE proname = 'hidden_' || wanted[1] AND proretset) THEN
                  result := hidden_regexp_replace(result, '^(?!TABLE)', 'SETOF ');
              END IF;
              body := hidden_format('LANGUAGE sql AS $$SELECT * FROM hidden_%s(%s)$$', wanted[1], (
                  SELECT string_agg('$' || n, ', ')
                    FROM hidden_string_to_table(wanted[2], ', ') WITH ORDINALITY AS argument (type, n)));
          END IF;
          EXECUTE hidden_format('CREATE FUNCTION pg_catalog.%s(%s) RETURNS %s %s', wanted[1], wanted[2], result, body);
          INSERT INTO call VALUES (hidden_format('%s(%s)', wanted[1], wanted[2]), result) ON CONFLICT DO NOTHING;
      END LOOP;
      UPDATE pg_proc SET proname = 'made_' || oid
          WHERE pronamespace = 'pg_catalog'::regnamespace AND oid >= 16384 AND proname NOT LIKE 'made\_%';
  END
  $find_calls$};

# Returns the functions of pg_catalog that the installation of the script calls, with the types of their arguments in
# each call and with their results.
sub calls_of_script {
  my ($node) = @_;
  my $text = slurp_file($Portable::script);
  my %names = map { $_ => 1 } $text =~ /\b([a-z]\w*)\(/g;
  my $hidden = join ', ', map { "'$_'" } sort keys %names,
    qw(format format_type regexp_match regexp_replace replace string_to_table);
  my $calls = '';
  while ($text =~ /\G((?>--[^\n]*|'[^']*'|(\$\w*\$).*?\2|[^;])*);/gs) {
    $calls .= "SELECT find_calls(\$statement\$$1\n\$statement\$);\n";
  }
  $node->safe_psql('postgres', 'CREATE DATABASE calls TEMPLATE template0');
  return map { [ split /\|/ ] } split /\n/, $node->safe_psql('calls', qq{$find_calls;
    CREATE SCHEMA uuidx;
    UPDATE pg_proc SET proname = 'hidden_' || proname
      WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' AND proname IN ($hidden);
    SET search_path = uuidx, public;
    \\o /dev/null
    $calls
    \\o
    TABLE call ORDER BY 1});
}

# Creates a function for each of these calls, with exactly its types of arguments; a user's functions cannot have the
# pseudo-type cstring.
sub plant_functions {
  my ($node, $database, $schema, $role, @calls) = @_;
  my @functions = map {
    "CREATE FUNCTION $schema.$$_[0] RETURNS $$_[1] LANGUAGE plpgsql AS \$\$ BEGIN RAISE 'hijacked'; END \$\$;"
  } @calls;
  $node->safe_psql($database, join("\n", @functions) =~ s/\bcstring\b/text/gr, extra_params => [ '-U', $role ]);
  return;
}

# Creates operators of the common types that raise an error: those that pg_catalog has as well, or those that it lacks,
# which would win where it has to convert an operand.
sub plant_operators {
  my ($node, $database, $schema, $in_catalog) = @_;
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
  return;
}

1;
