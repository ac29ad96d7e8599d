"""Checks that README.md has the clients that were used: test/clients/versions.py FILE

The file has a line with the name and version of each Debian package. The page may omit the end of a version, as 3.2 for
3.2.1, or claim none.
"""
import platform
import re
import sys
from pathlib import Path

TREE = Path(__file__).parents[2]
COLUMNS = {'bookworm': 2, 'trixie': 3, 'forky': 4, 'sid': 4}
failed = False


def check(what, wrong):
    """Prints a result, with what is wrong unless that is empty."""
    global failed
    failed = failed or bool(wrong)
    print(f'not ok - {what}: {wrong}' if wrong else f'ok - {what}')


page = (TREE / 'test/clients/README.md').read_text(encoding='utf-8')
rows = [[cell.strip(' `') for cell in line.strip('|').split('|')]
        for line in page.splitlines() if re.match(r'\|.*`', line)]
column = COLUMNS.get(platform.freedesktop_os_release()['VERSION_CODENAME'])
shown = {row[1]: row[column] for row in rows if len(row) == 5} if column else {}
used = dict(line.split() for line in Path(sys.argv[1]).read_text(encoding='utf-8').splitlines())
for package, version in sorted(used.items()):
    if column:
        says = shown.get(package, 'no row')
        check(f'the page has {package} {version}', '' if says == '–' or f'{version}.'.startswith(f'{says}.') else says)
sys.exit(failed)
