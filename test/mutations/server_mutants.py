#!/usr/bin/env python3
"""Chooses mutants of the PostgreSQL layer at random, each with the tests that judge it, for server.sh to try.

test/mutations/server_mutants.py FOLDER [--sample N] [--seed S] [--known SURVIVORS] [FILE...]

Writes each mutated file to FOLDER, named by a number, and the mutant as it is printed to the number and .entry. Prints
lines of number, file, SQL tests and TAP tests, separated by |. Leaves out the mutants in the output of earlier runs."""

import argparse
import pathlib
import random
import re
import sys

from mutants import blank, entry_of, key_of, mutants_of, read_known

TREE = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = 'sql/uuidx--1.0.sql'

# The tests of each file's subject, of a header and its source: SQL tests, and numbers of TAP tests.
JUDGES = {
    'src/pg/backend': ('generate', '003 012 026'),
    'src/pg/clock_report': ('', '010 011 019'),
    'src/pg/digest': ('name_based', '006 013 030'),
    'src/pg/entropy': ('generate', '012 026'),
    'src/pg/module': ('extension', '003 023 032'),
    'src/pg/range_types': ('time_ranges time_contexts', ''),
    'src/pg/settings': ('node', '019 023 035'),
    'src/pg/system_clock': ('generate', '010 011'),
    'src/pg/text_argument': ('convert typeid prefix name_based', '027'),
    'src/pg/server/server_clock': ('', '019 020 037'),
    'src/pg/server/server_memory': ('', '036 038 019'),
    'src/pg/server/high_water_mark': ('', '019 022 037 039 047'),
    'src/pg/server/mark_file': ('', '022 031'),
    'src/pg/server/mark_lock': ('', '019 028'),
    'src/pg/server/restart': ('', '022 021 020'),
    'src/pg/server/wal': ('', '038 021 037 039 047'),
    'src/pg/planner/column_statistics': ('', '018'),
    'src/pg/planner/columns': ('time_columns time_plans time_contexts', '018'),
    'src/pg/planner/functions': ('time_plans time_columns', '017'),
    'src/pg/planner/index_probe': ('', '042 049'),
    'src/pg/planner/key_index': ('', '042'),
    'src/pg/planner/key_table': ('time_columns time_plans time_partitions', '040 051'),
    'src/pg/planner/selectivity': ('', '018 042'),
    'src/pg/planner/time_calls': ('time_columns time_plans', '042 051'),
    'src/pg/planner/time_clauses': ('time_plans time_contexts time_partitions', '016'),
    'src/pg/planner/time_columns': ('time_columns', '051'),
    'src/pg/planner/time_comparison': ('time_columns time_plans', '042 051'),
    'src/pg/planner/time_conditions': ('time_columns time_plans', '051'),
    'src/pg/planner/time_order': ('time_columns', '051'),
    'src/pg/planner/time_range_support': ('time_plans time_contexts time_partitions', '016 040 042'),
    'src/pg/planner/version_selectivity': ('', '018 042 049'),
    'src/sql/bounds': ('bounds time_operators aggregates', ''),
    'src/sql/server': ('', '019 022 009'),
    'src/sql/convert': ('convert', '024'),
    'src/sql/extract': ('extract inspect', '007'),
    'src/sql/generate': ('generate at', '002 010 011 033'),
    'src/sql/name_based': ('name_based', '006'),
    'src/sql/node': ('node', '023'),
    'src/sql/time_ranges': ('time_ranges time_contexts', ''),
    'src/sql/typeid': ('typeid', ''),
    SCRIPT: ('extension time_operators time_plans', '009 035'),
}

# What is changed in the install script, outside of comments: patterns and their replacements.
SCRIPT_CHANGES = [
    (r'\bIMMUTABLE\b', 'STABLE'), (r'\b(?:STABLE|VOLATILE)\b', 'IMMUTABLE'), (r' (?:STRICT|LEAKPROOF)\b', ''),
    (r'\bPARALLEL SAFE\b', 'PARALLEL UNSAFE'), (r'\bPARALLEL (?:UNSAFE|RESTRICTED)\b', 'PARALLEL SAFE'),
    (r'\b(?:COMMUTATOR|NEGATOR) = [^\s,]+,\s*', ''), (r'\bRESTRICT = \w+', 'RESTRICT = eqsel'),
    (r'\bJOIN = \w+', 'JOIN = eqjoinsel'), (r' SUPPORT \w+', ''), (r'^(?:REVOKE|GRANT) [^;]*;', ''),
    (r'(?<=pg_catalog\.)[<>](?=\))', '='), (r'(?<=pg_catalog\.[<>])=(?=\))', ''),
    (r'(?<=\) )uuid_v7_min(?=\(ts\) )', 'uuid_v7_max'), (r'(?<=\) )uuid_v7_max(?=\(ts\) )', 'uuid_v7_min'),
    (r" AND uuid_is_v7\(id\)(?=;)", ''), (r"(?<='MODULE_PATHNAME', ')\w+", 'uuidx_nil'),
]
SCRIPT_LEFT_ALONE = re.compile(r"--[^\n]*|^ *COMMENT ON [^;]*?\bIS\s+'(?:''|[^'])*';", re.M)


def script_changes(source):
    """Yields the changes of the install script: begin, end, replacement."""
    code = SCRIPT_LEFT_ALONE.sub(blank, source)
    for pattern, replacement in SCRIPT_CHANGES:
        for match in re.finditer(pattern, code, re.M):
            yield match.start(), match.end(), replacement


def subject_of(file):
    """Returns a file's name in JUDGES."""
    return file if file == SCRIPT else file.rsplit('.', 1)[0]


def all_files():
    """Returns the files that have mutants. Those without judges only declare."""
    paths = [*TREE.glob('src/pg/**/*.[ch]pp'), *TREE.glob('src/sql/*.[ch]pp'), TREE / SCRIPT]
    return sorted(file for file in (str(path.relative_to(TREE)) for path in paths) if subject_of(file) in JUDGES)


def main():
    """Runs the script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', type=pathlib.Path, metavar='FOLDER')
    parser.add_argument('--sample', type=int, default=20, metavar='N', help='choose N mutants at random, by default 20')
    parser.add_argument('--seed', type=int, default=1, metavar='S', help='of the sample')
    parser.add_argument('--known', type=pathlib.Path, metavar='SURVIVORS', help='output of earlier runs')
    parser.add_argument('files', nargs='*', metavar='FILE', help='a path in the tree; all by default')
    arguments = parser.parse_intermixed_args()
    files = all_files()
    if unknown := set(arguments.files) - set(files):
        sys.exit(f'error: no mutants of {" ".join(unknown)}')
    files = arguments.files or files
    mutants = [mutant for file in files
               for mutant in (mutants_of(file, TREE, script_changes) if file == SCRIPT else mutants_of(file, TREE))]
    known = read_known(arguments.known)
    mutants = [mutant for mutant in mutants if key_of(mutant) not in known]
    chosen = random.Random(arguments.seed).sample(mutants, min(arguments.sample, len(mutants)))
    print(f'{len(chosen)} of {len(mutants)} mutants', file=sys.stderr)
    for number, mutant in enumerate(sorted(chosen)):
        (arguments.folder / str(number)).write_text(mutant.text)
        (arguments.folder / f'{number}.entry').write_text(entry_of(mutant) + '\n')
        print(number, mutant.file, *JUDGES[subject_of(mutant.file)], sep='|')


if __name__ == '__main__':
    main()
