"""The packages the model was trained with, pinned; with hashes where the resolved lock knows them."""
import os
import re
from importlib import metadata

# Tools of the toolchain image, not of the model.
TOOLS = frozenset(('pip', 'setuptools', 'uv', 'wheel'))
PIN = re.compile(r'^(?P<name>[\w.-]+)(?:\[[^]]*\])?==(?P<version>[^\s;\\]+)')
HASH = re.compile(r'--hash=\S+')


def installed_lock(lock_file=None):
    """One `name==version` entry per installed distribution, sorted by name."""
    # The toolchain's own image has no lock.
    hashes = _hashes(lock_file) if lock_file and os.path.exists(lock_file) else {}
    pins = {}
    for distribution in metadata.distributions():
        name = _normalized(distribution.metadata['Name'] or '')
        # The first one on the path is the one that is imported.
        if name and name not in TOOLS and name not in pins:
            pins[name] = distribution.version
    entries = []
    for name, version in sorted(pins.items()):
        entry = '{}=={}'.format(name, version)
        entries.append(' \\\n    '.join([entry] + hashes.get((name, version), [])))
    return ''.join(entry + '\n' for entry in entries)


def _hashes(lock_file):
    found = {}
    key = None
    with open(lock_file, encoding='utf-8') as stream:
        for line in stream:
            pin = PIN.match(line)
            if pin is not None:
                key = (_normalized(pin.group('name')), pin.group('version'))
            if key is not None:
                found.setdefault(key, []).extend(HASH.findall(line))
    return found


def _normalized(name):
    return re.sub(r'[-_.]+', '-', name).lower()
