#!/usr/bin/env python3
"""Generates mutants of src/core, one small change each, and counts those that the unit tests kill.

test/mutations/mutants.py [--known SURVIVORS] [FILE...]

FILE is a name in src/core; all by default. Operators, integer constants, conditions and statements are changed, but no
comments, strings, directives, attributes and assertions at compile time. The tests of a file must kill its mutants; a
file without tests of its own has those of the files that include it. Mutants that do not compile do not count.
Survivors are printed: some behave as the original does, and the others need a test. SURVIVORS is what an earlier run
has printed; those in it, which somebody has judged, count as passed. CXX selects the compiler. The last line has the
counts.

A mutant takes 0.4 s of a processor, all of src/core some 12 minutes."""

import argparse
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
from collections import Counter, namedtuple

HERE = pathlib.Path(__file__).resolve().parent
CORE = HERE.parents[1] / 'src' / 'core'
UNIT = HERE.parent / 'unit'
CXX = os.environ.get('CXX', 'clang++')
# Not optimized, as most tests run for less time than that takes. All errors tell which mutants do not compile.
FLAGS = ['-std=c++20', '-O0', '-w', '-Werror=return-type', '-fno-exceptions', '-fno-asynchronous-unwind-tables',
         '-ferror-limit=0' if 'clang' in CXX else '-fmax-errors=0', f'-I{HERE}']
# Mutants compiled together, each in a namespace of its own: compilers take most of the time for what is around them.
TOGETHER = 40

# What replaces an operator. Those of two operands have spaces around them, by clang-format; brackets of templates,
# pointers and references have not.
BINARY = {
    '<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '&&': '||', '||': '&&',
    '+': '-', '-': '+', '*': '/', '/': '*', '%': '*', '<<': '>>', '>>': '<<', '&': '|', '|': '&', '^': '|',
    '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=', '<<=': '>>=', '>>=': '<<=', '&=': '|=', '|=': '&=', '^=': '|=',
}
WORDS = {'true': 'false', 'false': 'true', 'min': 'max', 'max': 'min', '++': '--', '--': '++'}
LEFT_ALONE = re.compile(r'''//[^\n]*|"(?:\\.|[^"\\\n])*"|(?<![\w])'(?:\\.|[^'\\])'|^\#[^\n]*
                            |\bstatic_assert\([^;]*;|\[\[[^\]]*\]\]''', re.M | re.X)
INTEGER = re.compile(r"(?<![\w.'])(0x[\dA-Fa-f']+|0b[01']+|\d[\d']*)(?=U?L?L?\b)(?!\.\d)")
PLACE = r'\*?\w+(?:(?:\.|->|::)\w+|\[[^\]]*\])*'
STATEMENT = re.compile(rf'''(?<=[;{{}}])\s*(
    {PLACE}\ (?:[-+*/%&|^]|<<|>>)?=\ [^;{{}}]*(?:{{[^;{{}}]*}}[^;{{}}]*)*
    |(?:\+\+|--){PLACE}|{PLACE}(?:\+\+|--)|(?!return\b){PLACE}\([^;{{}}]*\)|break);''', re.X)

Mutant = namedtuple('Mutant', 'file begin end text old new line')


def blank(match):
    """Returns spaces of the same length and lines."""
    return re.sub(r'[^\n]', ' ', match[0])


def condition_end(code, begin):
    """Returns the end of what is in the parenthesis before `begin`."""
    depth = 1
    for end in range(begin, len(code)):
        depth += {'(': 1, ')': -1}.get(code[end], 0)
        if depth == 0:
            return end
    raise ValueError('no closing parenthesis')


def changes(code):
    """Yields the changes of some code: begin, end, replacement."""
    for match in re.finditer(r'(?<= )([-+*/%&|^<>=!]{1,3})(?=[ \n])', code):
        if match[1] in BINARY:
            yield match.start(), match.end(), BINARY[match[1]]
    for match in re.finditer(r'\b(?:true|false|min|max)\b(?!\.)|\+\+|--', code):
        if match[0] not in ('min', 'max') or code[:match.start()].endswith('std::'):
            yield match.start(), match.end(), WORDS[match[0]]
    for match in re.finditer(r'(?<=[(,= {])[-!~](?=[\w(])', code):
        yield match.start(), match.end(), ''
    for match in INTEGER.finditer(code):
        value = int(match[1].replace("'", ''), 0)
        yield match.start(), match.end(), str(value + 1)
        if value > 0:
            yield match.start(), match.end(), str(value - 1)
    for match in re.finditer(r'\b(if|while)(?: constexpr)? \(', code):
        end = condition_end(code, match.end())
        begin = max(match.end(), code.rfind('; ', match.end(), end) + 2)
        if not re.search(r'[^=!<>]=[^=]', code[begin:end]):
            yield begin, end, 'false'
            if match[1] == 'if':
                yield begin, end, 'true'
    for match in re.finditer(r' \? ', code):
        yield match.start(), match.start(), ' || true'
        yield match.start(), match.start(), ' && false'
    for match in STATEMENT.finditer(code):
        yield match.start(1), match.end(1), ''


def lines_around(source, begin, end):
    """Returns the whole lines of a part of the source, as one line."""
    return ' '.join(source[source.rfind('\n', 0, begin) + 1:source.find('\n', end)].split())


def mutants_of(file, folder=CORE, changes_of=lambda source: changes(LEFT_ALONE.sub(blank, source))):
    """Returns the mutants of a file in order."""
    source = (folder / file).read_text()
    found = []
    for begin, end, text in sorted(set(changes_of(source))):
        mutated = source[:begin] + text + source[end:]
        found.append(Mutant(file, begin, end, mutated, lines_around(source, begin, end),
                            lines_around(mutated, begin, begin + len(text)), source.count('\n', 0, begin) + 1))
    return found


def read_known(file):
    """Returns the mutants in the output of an earlier run, each as by key_of."""
    lines = file.read_text().splitlines() if file else []
    return {(name, old[2:], new[2:]) for name, old, new in zip(lines, lines[1:], lines[2:])
            if old.startswith('- ') and new.startswith('+ ')}


def key_of(mutant):
    """Returns what is printed of a mutant, without its line, which other changes of the file move."""
    return mutant.file, mutant.old, mutant.new


def limited(seconds):
    """Returns what limits a program before it starts: processor time, as a loaded machine is slow, and memory."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return limit


def run(*command, seconds=300):
    """Runs a command. Returns its status and output; one that waits forever is killed, too."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
                              preexec_fn=limited(seconds), check=False, timeout=60 + 30 * seconds)
    except subprocess.TimeoutExpired:
        return -signal.SIGKILL, ''
    return done.returncode, done.stdout


def processor_time():
    """Returns the seconds of processor time that all commands took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Tests:
    """The unit tests of one file, with what they include and the sources of that, as one text."""

    def __init__(self, name):
        self.name = name
        self.seconds = None
        self.texts = {}
        self.system = set()
        # A header's source follows the tests, so that these do not see names that are local to it.
        self.add(name)
        for file in self.texts.copy():
            self.add_source(file)

    def add(self, file):
        """Adds a file after those that it includes."""
        if file in self.texts:
            return
        self.texts[file] = None
        text = (CORE / file if (CORE / file).exists() else UNIT / file).read_text()
        for included in re.findall(r'^#include "(.*)"', text, re.M):
            self.add(included)
        self.system.update(re.findall(r'^#include <.*>', text, re.M))
        del self.texts[file]
        self.texts[file] = text

    def add_source(self, header):
        """Adds the source of a header, and those of what it includes."""
        source = header.replace('.hpp', '.cpp')
        if source not in self.texts and (CORE / source).exists():
            before = set(self.texts)
            self.add(source)
            for file in set(self.texts) - before:
                self.add_source(file)

    def text_with(self, number, mutant):
        """Returns the whole text with a mutant, in a namespace; its lines bear the number in messages."""
        texts = self.texts if mutant is None else {**self.texts, mutant.file: mutant.text}
        text = re.sub(r'^#(include|pragma once).*', '', ''.join(texts.values()), flags=re.M)
        return f'#line 1 "mutant{number}"\nnamespace mutant{number} {{\nconstexpr int kMutant = {number};\n{text}}}\n'

    def compile(self, mutants):
        """Compiles the tests with each of some mutants to one program. Returns the numbers of those that compile."""
        numbers = list(range(len(mutants)))
        while numbers:
            pathlib.Path('mutants.cpp').write_text('\n'.join(
                [*sorted(self.system), *(self.text_with(number, mutants[number]) for number in numbers)]))
            status, output = run(CXX, *FLAGS, '-o', 'mutants', 'mutants.cpp', '-pthread')
            if status == 0:
                break
            # An error in a header of the system is followed by notes that tell where it comes from.
            wrong = re.findall(r'^mutant(\d+):[\d:]* (?:fatal )?error', output, re.M) or re.findall(
                r'^mutant(\d+):', output, re.M)
            if not wrong:
                sys.exit(f'error: {self.name} does not compile\n{output}')
            numbers = [number for number in numbers if str(number) not in wrong]
        return numbers

    def outcome(self, number):
        """Runs the tests with a mutant. Returns the outcome."""
        status, _ = run('./mutants', str(number), seconds=int(2 + 4 * self.seconds))
        return 'survived' if status == 0 else 'killed'

    def measure(self):
        """Runs the tests without a mutant to know how long they take."""
        self.seconds = 60
        ready = self.compile([None])
        began = processor_time()
        if not ready or self.outcome(0) != 'survived':
            sys.exit(f'error: {self.name} fails without a mutant')
        self.seconds = processor_time() - began

    def try_mutants(self, mutants):
        """Yields the outcome of each mutant."""
        if self.seconds is None:
            self.measure()
        for first in range(0, len(mutants), TOGETHER):
            part = mutants[first:first + TOGETHER]
            ready = self.compile(part)
            for number in range(len(part)):
                yield self.outcome(number) if number in ready else 'not compiled'


def tests_of(file, tests):
    """Returns the tests that should kill a file's mutants: its own; if there are none, those that include its header,
    or are of a file that does."""
    stem = file.split('.')[0]
    own = [test for test in tests if test.name == stem + '_test.cpp']
    include = f'#include "{stem}.hpp"'
    return own or [test for test in tests if any(
        include in test.texts.get(test.name.replace('_test.cpp', end), '') for end in ('_test.cpp', '.hpp', '.cpp'))]


def try_file(mutants, tests):
    """Returns the outcomes of a file's mutants with its tests."""
    outcomes = dict.fromkeys(mutants, 'survived')
    for test in tests:
        alive = [mutant for mutant, outcome in outcomes.items() if outcome == 'survived']
        if alive:
            outcomes.update(zip(alive, test.try_mutants(alive)))
    return outcomes


def entry_of(mutant):
    """Returns a mutant as it is printed."""
    return f'{mutant.file}\n- {mutant.old}\n+ {mutant.new}'


def try_all(mutants, known):
    """Tries mutants in the current folder. Returns how many had which outcome."""
    tests = [Tests(path.name) for path in sorted(UNIT.glob('*_test.cpp'))]
    counts = Counter()
    for file in sorted({mutant.file for mutant in mutants}):
        outcomes = try_file([mutant for mutant in mutants if mutant.file == file], tests_of(file, tests))
        for mutant, outcome in outcomes.items():
            if outcome == 'survived' and key_of(mutant) in known:
                outcome = 'known'
            counts[outcome] += 1
            if outcome == 'survived':
                print(f'line {mutant.line}, survived:\n{entry_of(mutant)}\n')
        print(f'# {file}: {len(outcomes)} mutants, {processor_time():.0f} s', flush=True)
    return counts


def main():
    """Runs the script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--known', type=pathlib.Path, metavar='SURVIVORS', help='output of an earlier run')
    parser.add_argument('files', nargs='*', metavar='FILE', help='a name in src/core; all by default')
    arguments = parser.parse_intermixed_args()
    every_file = [path.name for path in CORE.glob('*.[ch]pp')]
    files = sorted(arguments.files or every_file)
    if unknown := set(files) - set(every_file):
        sys.exit(f'error: not in src/core: {" ".join(unknown)}')
    mutants = [mutant for file in files for mutant in mutants_of(file)]
    known = read_known(arguments.known)
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        outcomes = try_all(mutants, known)
        os.chdir('/')
    print(f'{len(mutants)} mutants: ' + ', '.join(f'{count} {outcome}' for outcome, count in sorted(outcomes.items())))
    print(f'{outcomes["killed"] + outcomes["known"]} passed, {outcomes["survived"]} failed')
    sys.exit(outcomes['survived'] > 0)


if __name__ == '__main__':
    main()
