"""Checks that snippets of doc/clients.md, and marked ones of doc/managed.md, are parts of programs of this folder.

A region of a program is the lines from a comment [doc] or [doc: NAME] to the next comment [end]. On the page, a line
<!-- from: test/clients/FILE NAME --> stands before the block that shows it, and <!-- not tested --> before a block that
shows none. test/t/034_documents.pl runs SQL and compares its output.
"""
import re
import sys
import textwrap
from pathlib import Path

TREE = Path(__file__).parents[2]
MARK = re.compile(r'^\W*\[(doc|end)(?:: ([\w -]+))?\]\W*$')
BLOCK = re.compile(r'^(?:<!-- (from: (\S+)(?: ([^\n]+?))?|not tested) -->\n)?```(\w*)\n(.*?)^```$', re.M | re.S)
failed = False


def check(what, wrong):
    """Prints a result, with what is wrong unless that is empty."""
    global failed
    failed = failed or bool(wrong)
    print(f'not ok - {what}: {wrong}' if wrong else f'ok - {what}')


def regions(text):
    """Yields the name and the text of each region."""
    name = lines = None
    for line in text.splitlines():
        mark = MARK.match(line)
        if not mark:
            if lines is not None:
                lines.append(line + '\n')
        elif (mark[1] == 'doc') == (lines is not None):
            sys.exit(f'[doc] and [end] do not alternate at: {line}')
        elif mark[1] == 'doc':
            name, lines = mark[2] or '', []
        else:
            yield name, textwrap.dedent(''.join(lines)).strip('\n') + '\n'
            lines = None
    if lines is not None:
        sys.exit(f'no [end] after [doc: {name}]')


programs = {}
for path in sorted((TREE / 'test/clients').rglob('*')):
    if path.is_file() and path != Path(__file__) and 'node_modules' not in path.parts:
        for name, text in regions(path.read_text(encoding='utf-8')):
            key = f'{path.relative_to(TREE)} {name}'.strip()
            if key in programs:
                sys.exit(f'two regions {key}')
            programs[key] = text

for place in ('doc/clients.md', 'doc/managed.md'):
    page = (TREE / place).read_text(encoding='utf-8')
    for mark, file, name, language, text in BLOCK.findall(page):
        if file:
            key = f'{file} {name}'.strip()
            check(f'{place} has {key} as it is',
                  'no such region' if key not in programs else '' if text == programs[key] else 'it differs')
            programs[key] = None
        elif place == 'doc/clients.md' and language not in ('sql', '') and not mark:
            check('every block is of a program', text)
check('every region is on a page', ', '.join(key for key, text in programs.items() if text is not None))
sys.exit(failed)
