"""Prints what in a META.json violates version 1.0.0 of PGXN's specification, and missing files: meta.py META.json"""

import json
import os
import re
import sys

TERM = r'[^\s/\\\x00-\x1f\x7f]{2,}'
VERSION = r'(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)([A-Za-z][0-9A-Za-z-]*)?'
RANGE = rf'0|((<|<=|==|!=|>=|>) ?)?{VERSION}(, ?(<|<=|==|!=|>=|>) ?{VERSION})*'
LICENSES = ('agpl_3 apache_1_1 apache_2_0 artistic_1 artistic_2 bsd freebsd gfdl_1_2 gfdl_1_3 gpl_1 gpl_2 gpl_3 '
            'lgpl_2_1 lgpl_3_0 mit mozilla_1_0 mozilla_1_1 openssl perl_5 postgresql qpl_1_0 ssleay sun zlib '
            'open_source restricted unrestricted unknown').split()
ADDRESS = r'https?://[^\s]+'
SPECIFICATION = 'https://pgxn.org/meta/spec.txt'
REQUIRED = 'abstract maintainer license provides name version meta-spec'.split()
OPTIONAL = 'description generated_by tags no_index prereqs release_status resources'.split()
problems = []


def expect(true, problem):
    """Records a problem unless the condition is true, and returns it."""
    if not true:
        problems.append(problem)
    return true


def is_text(value, pattern='.*[^ ].*'):
    """True if a value is a string of this form."""
    return isinstance(value, str) and re.fullmatch(pattern, value, re.DOTALL) is not None


def keys(where, value, required, optional=()):
    """True if a value is an object with these keys, and no others except extensions, X_…"""
    if not expect(isinstance(value, dict) and value, f'{where} is not an object with a key'):
        return False
    for key in required:
        expect(key in value, f'{where} has no {key}')
    for key in value:
        expect(key in required or key in optional or key.lower().startswith('x_'), f'{where} has the key {key}')
    return set(required) <= set(value)


def check_provides(provides, folder):
    """Checks the extensions: each has a version, and files that exist."""
    for name, extension in provides.items():
        where = f'provides.{name}'
        expect(is_text(name, TERM), f'{where} is not a term')
        if keys(where, extension, ('file', 'version'), ('abstract', 'docfile')):
            expect(is_text(extension['version'], VERSION), f'{where}.version is not a semantic version')
            for key in {'file', 'docfile'} & set(extension):
                expect(is_text(extension[key]) and os.path.isfile(os.path.join(folder, extension[key])),
                       f'{where}.{key} is not a file: {extension[key]}')


def check_prereqs(prereqs):
    """Checks phases of relations to extensions and their versions."""
    if not keys('prereqs', prereqs, (), ('configure', 'build', 'test', 'runtime', 'develop')):
        return
    for phase, relations in prereqs.items():
        if not keys(f'prereqs.{phase}', relations, (), ('requires', 'recommends', 'suggests', 'conflicts')):
            continue
        for relation, wanted in relations.items():
            if not expect(isinstance(wanted, dict), f'prereqs.{phase}.{relation} is not an object'):
                continue
            for name, version in wanted.items():
                expect(is_text(name, TERM) and (version == 0 or is_text(version, RANGE)),
                       f'prereqs.{phase}.{relation}.{name} is not a range of versions: {version}')


def check_resources(resources):
    """Where the project is: addresses of the forms that the specification asks for."""
    if not keys('resources', resources, (), ('license', 'homepage', 'bugtracker', 'repository')):
        return
    forms = {'web': ADDRESS, 'url': r'[a-z]+://.+', 'mailto': r'[^@\s]+@[^@\s]+', 'type': '[a-z]+'}
    if 'homepage' in resources:
        expect(is_text(resources['homepage'], ADDRESS), 'resources.homepage is not an address')
    for name, allowed in (('bugtracker', ('web', 'mailto')), ('repository', ('url', 'web', 'type'))):
        if name in resources and keys(f'resources.{name}', resources[name], (), allowed):
            for key in set(resources[name]) & set(allowed):
                expect(is_text(resources[name][key], forms[key]), f'resources.{name}.{key} is not of its form')


def check(meta, folder):
    """Checks the whole document."""
    if not keys('META.json', meta, REQUIRED, OPTIONAL):
        return
    expect(is_text(meta['name'], TERM), 'name is not a term')
    expect(is_text(meta['version'], VERSION), 'version is not a semantic version')
    expect(is_text(meta['abstract']), 'abstract is not a text')
    for key in {'description', 'generated_by'} & set(meta):
        expect(is_text(meta[key]), f'{key} is not a text')
    maintainers = meta['maintainer'] if isinstance(meta['maintainer'], list) else [meta['maintainer']]
    expect(maintainers and all(is_text(person) for person in maintainers), 'maintainer is not a text or a list of them')
    expect(meta['license'] in LICENSES, f'license is not one that the specification names: {meta["license"]}')
    expect(meta.get('release_status', 'stable') in ('stable', 'testing', 'unstable'), 'release_status is none')
    tags = meta.get('tags', ['none'])
    expect(isinstance(tags, list) and tags and all(is_text(tag, r'[^/\\\x00-\x1f]{1,255}') for tag in tags),
           'tags are not a list of tags')
    if keys('meta-spec', meta['meta-spec'], ('version',), ('url',)):
        expect(meta['meta-spec']['version'] == '1.0.0', 'meta-spec.version is not 1.0.0')
        expect(meta['meta-spec'].get('url', SPECIFICATION) == SPECIFICATION, f'meta-spec.url is not {SPECIFICATION}')
    if expect(isinstance(meta['provides'], dict) and meta['provides'], 'provides is not an object with a key'):
        check_provides(meta['provides'], folder)
    if 'resources' in meta:
        check_resources(meta['resources'])
    if 'prereqs' in meta:
        check_prereqs(meta['prereqs'])


path = sys.argv[1]
with open(path, encoding='utf-8') as file:
    try:
        document = json.load(file)
    except ValueError as error:
        sys.exit(f'{path} is not JSON: {error}')
check(document, os.path.dirname(path) or '.')
sys.exit('\n'.join(problems) or 0)
