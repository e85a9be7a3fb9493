"""Installs a lock into /opt/env, on the Python of a base image: python3 -m slipway_runner.install JOB.

Readable by Python 3.6, since the base of an image may be as old. It runs with the rights of every job; only its files
leave the container. The links to the interpreter lead out of the folder, so that the worker makes them again.
"""
import glob
import json
import os
import shutil
import subprocess
import sys

from .failures import dependency_failed, RunnerFailure, write_message
from .uv import UvFailed, run_uv

ENVIRONMENT = '/opt/env'
PYTHON = ENVIRONMENT + '/bin/python'
BYTECODE = ENVIRONMENT + '/bytecode'
SERVER = '/opt/server'
LIBRARIES = SERVER + '/lib'
SERVER_LOCK = SERVER + '/slipway_server/requirements.lock'
PATHS = 'import json, sys, sysconfig; print(json.dumps([sysconfig.get_path("purelib"), sys.path[1:]]))'


def install(job):
    """Makes the environment of `job`: lines of the lock, and whether the model server comes with it."""
    # On the volume of its target: packages are linked there instead of copied.
    scratch = ENVIRONMENT + '/.uv'
    os.environ.update(UV_CACHE_DIR=scratch, UV_PYTHON_DOWNLOADS='never', PYTHONHASHSEED='0')
    _run(['python3', '-m', 'venv', '--without-pip', '--system-site-packages', ENVIRONMENT])
    packages, _ = _paths()
    if job['lock']:
        lock = os.path.join(os.environ['TMPDIR'], 'lock.txt')
        _write(lock, with_hashes(job['lock']))
        _uv(['install', '--python', PYTHON, '--no-deps', '--require-hashes', '-r', lock])
    if job['server']:
        _uv(['install', '--python', PYTHON, '--target', LIBRARIES, '--no-deps', '--require-hashes', '-r', SERVER_LOCK])
        # A .pth file appends: the server's packages come last, so that the model's versions win.
        _write(os.path.join(packages, 'slipway_server.pth'), [SERVER, LIBRARIES])
    shutil.rmtree(scratch, ignore_errors=True)
    if job['server']:
        _compile()
    for link in glob.glob(PYTHON + '*'):
        os.remove(link)


def with_hashes(lines):
    """The lines; those without hashes get the ones that the package index has now."""
    unknown = [line for line in lines if '--hash=' not in line]
    if not unknown:
        return lines
    source = os.path.join(os.environ['TMPDIR'], 'unknown.in')
    _write(source, unknown)
    found = _uv(['compile', source, '--python', PYTHON, '--no-deps', '--generate-hashes', '--no-annotate', '--no-header'])
    return [line for line in lines if '--hash=' in line] + [found]


def _compile():
    """Compiles all importable modules: a container keeps no bytecode, so each start would compile them again.

    Unchecked, because engines may change the times of files. It lies in a folder of its own, for that of the base image
    is not ours to write. Tests are not imported, and what does not compile serves as it is.
    """
    options = ['-m', 'compileall', '-qq', '-j', '0', '-x', '/tests?/', '--invalidation-mode', 'unchecked-hash']
    _, paths = _paths()
    if sys.version_info >= (3, 8):
        environment = dict(os.environ, PYTHONPYCACHEPREFIX=BYTECODE)
    else:
        environment = dict(os.environ)
        paths = [path for path in paths if path.startswith((ENVIRONMENT, SERVER))]
        options = options if sys.version_info >= (3, 7) else options[:-2]
    environment.pop('PYTHONDONTWRITEBYTECODE', None)
    subprocess.call([PYTHON] + options + paths, env=environment)


def _paths():
    """(folder of installed packages, import path) of the environment."""
    environment = {key: value for key, value in os.environ.items() if key != 'PYTHONPATH'}
    return json.loads(subprocess.check_output([PYTHON, '-c', PATHS], env=environment).decode())


def _uv(arguments):
    try:
        return run_uv(arguments, cwd=os.environ['TMPDIR'])
    except UvFailed as failure:
        raise dependency_failed('the packages cannot be installed: {}'.format(failure)) from None


def _run(command):
    if subprocess.call(command) != 0:
        raise dependency_failed('"{}" failed'.format(' '.join(command)))


def _write(path, lines):
    with open(path, 'w', encoding='utf-8') as stream:
        stream.write('\n'.join(lines) + '\n')


def main(path):
    with open(path, encoding='utf-8') as stream:
        job = json.load(stream)
    try:
        install(job)
    except RunnerFailure as failure:
        print('slipway: {}'.format(failure), file=sys.stderr)
        write_message(os.path.join(os.path.dirname(path), 'output'), failure)
        return failure.exit_code
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
