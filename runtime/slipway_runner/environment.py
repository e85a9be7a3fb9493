"""Resolves the packages that a project asks for into a lock with hashes. Runs none of the project's code."""
import os
import re
import sys
import tempfile

from . import conda
from .failures import dependency_failed, project_invalid
from .mlproject import read_project, read_yaml
from .uv import UvFailed, run_uv

ALLOWED_OPTIONS = ('-r', '--requirement', '-c', '--constraint')


def write_lock(project_folder, lock_file):
    """Writes the lock; a project without an environment gets an empty one."""
    project = read_project(project_folder)
    lines, python = wanted(project)
    if python is not None:
        _require_python(python)
    content = _compile(project.folder, lines) if lines else ''
    with open(lock_file, 'w', encoding='utf-8') as stream:
        stream.write(content)


def wanted(project):
    """(requirement lines, wanted Python or None) of the project's environment."""
    if project.environment is None:
        return [], None
    kind, value = project.environment
    if kind == 'docker_env':
        raise project_invalid('docker_env is not supported: name python_env or conda_env')
    path = _inside(project.folder, value)
    if kind == 'requirements':
        return ['-r ' + path], None
    document = read_yaml(path, value)
    if kind == 'conda_env':
        lines, python = conda.pip_requirements(document)
    else:
        lines, python = _python_env(document), document.get('python')
    base = os.path.dirname(path)
    return [_checked(line, project.folder, base) for line in lines], None if python is None else str(python)


def _python_env(document):
    # build_dependencies are the tools of source builds; only wheels are installed here.
    dependencies = document.get('dependencies') or []
    if not isinstance(dependencies, list):
        raise project_invalid('dependencies of the Python environment are not a list')
    return [str(line) for line in dependencies]


def _checked(line, folder, base):
    """A requirement line; included files must lie in the project, other options of pip are refused."""
    line = line.strip()
    if not line.startswith('-'):
        return line
    option, _, value = line.replace('=', ' ', 1).partition(' ') if line.startswith('--') else line.partition(' ')
    if option not in ALLOWED_OPTIONS:
        raise project_invalid('option {} is not allowed in requirements'.format(option))
    return '{} {}'.format(option, _inside(folder, value.strip(), base))


def _inside(folder, value, base=None):
    if not isinstance(value, str):
        raise project_invalid('the environment must be named by a file')
    path = os.path.realpath(os.path.join(base or folder, value))
    if not path.startswith(os.path.realpath(folder) + os.sep):
        raise project_invalid('{} lies outside the project'.format(value))
    if not os.path.isfile(path):
        raise project_invalid('{} does not exist'.format(value))
    return path


def _compile(folder, lines):
    with tempfile.TemporaryDirectory() as scratch:
        source = os.path.join(scratch, 'requirements.in')
        with open(source, 'w', encoding='utf-8') as stream:
            stream.write('\n'.join(lines) + '\n')
        version = '{}.{}'.format(*sys.version_info[:2])
        arguments = ['compile', source, '--generate-hashes', '--no-annotate', '--no-header', '--python-version', version]
        try:
            return run_uv(arguments, cwd=folder)
        except UvFailed as failure:
            explanation = str(failure).replace(scratch + os.sep, '')
            raise dependency_failed('dependencies could not be resolved: {}'.format(explanation)) from None


def _require_python(wanted_python):
    """Before anything is resolved or installed: packages of another Python would fail later, or behave differently."""
    if fits(wanted_python, sys.version_info[:3]):
        return
    raise project_invalid(
        'the project asks for Python {}, this toolchain has Python {}.{}: ask for that one, or train with a toolchain '
        'whose image has the other'.format(wanted_python, *sys.version_info[:2])
    )


CONDITION = re.compile(r'^\s*(==|!=|>=|<=|~=|=|>|<)?\s*(\d+(?:\.\d+)*)(\.\*)?(?:=\S*)?\s*$')


def fits(wanted_python, version):
    """Whether a version fits `3.11`, `=3.11.2`, `>=3.8,<3.12`, `3.11.*` or alternatives with `|`. Releases of one minor
    version are alike, so that an exact one asks for its minor."""
    return any(all(_holds(each, version) for each in part.split(',')) for part in wanted_python.split('|'))


def _holds(condition, version):
    match = CONDITION.match(condition)
    if match is None:
        raise project_invalid('the Python version "{}" cannot be read'.format(condition))
    operator = match.group(1) or '='
    given = tuple(int(part) for part in match.group(2).split('.'))
    have = tuple(version[: len(given)])
    same_minor = have[:2] == given[:2]
    if operator == '~=':
        return have >= given and have[:1] == given[:1] and (len(given) < 3 or same_minor)
    results = {
        '=': same_minor,
        '==': same_minor,
        '!=': have != given,
        '>=': have >= given,
        '<=': have <= given,
        '>': have > given,
        '<': have < given,
    }
    return results[operator]
