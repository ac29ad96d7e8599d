# Databases that have the functions of uuidx in the schema uuidx, by the extension or by sql/portable/uuidx.sql.
package Portable;

use Helpers;

our $script = "$tree/sql/portable/uuidx.sql";

# The commands that install the script, as its first comment has them, except for the name of the schema.
sub installation($schema) {
  return "BEGIN; CREATE SCHEMA $schema; SET LOCAL search_path = $schema, pg_temp; \\i $script\n"
    . "GRANT USAGE ON SCHEMA $schema TO PUBLIC; COMMIT";
}

# Makes a database that an ordinary role owns, with the functions of a flavour: extension, script, or none.
sub make_database($node, $database, $flavour) {
  $node->safe_psql('postgres', "CREATE DATABASE $database OWNER owner TEMPLATE template0");
  $node->safe_psql('postgres', "ALTER DATABASE $database SET search_path = public, uuidx");
  as_owner($node, $database, {
    extension => 'CREATE SCHEMA uuidx; CREATE EXTENSION uuidx SCHEMA uuidx; GRANT USAGE ON SCHEMA uuidx TO PUBLIC',
    script => installation('uuidx'),
    none => 'SELECT' }->{$flavour});
}

# Runs statements, which must not fail, as the owner; returns what they print.
sub as_owner($node, $database, $statements) {
  return $node->safe_psql($database, $statements, extra_params => [ '-U', 'owner' ]);
}

1;
