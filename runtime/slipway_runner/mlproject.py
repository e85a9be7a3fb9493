"""Reads an MLproject file and makes the command of one entry point."""
import os
import re
import shlex

import yaml

from .failures import project_invalid

ENVIRONMENT_KEYS = ('python_env', 'conda_env', 'docker_env')
FALLBACK_FILES = (('python_env', 'python_env.yaml'), ('conda_env', 'conda.yaml'), ('requirements', 'requirements.txt'))
# MLflow quotes values but not names, so a name must be harmless in a shell.
PARAMETER_NAME = re.compile(r'^[A-Za-z_][\w.-]*$', re.ASCII)
PLACEHOLDER = re.compile(r'\{([A-Za-z_][\w.-]*)\}', re.ASCII)


class Project(object):
    def __init__(self, folder, document):
        self.folder = folder
        self.document = document
        self.environment = _environment(folder, document)

    def command(self, entrypoint, parameters, extra_arguments=()):
        """The shell line of an entry point: values quoted, undeclared parameters appended as --name value."""
        entry = self._entry(entrypoint)
        for name in parameters:
            if not PARAMETER_NAME.match(name):
                raise project_invalid('hyper-parameter name {!r} must match {}'.format(name, PARAMETER_NAME.pattern))
        declared = _declared_parameters(entrypoint, entry)
        values = {}
        missing = []
        for name, default in declared.items():
            value = parameters.get(name, default)
            if value is None:
                missing.append(name)
            else:
                values[name] = shlex.quote(str(value))
        if missing:
            raise project_invalid(
                'entry point "{}" needs parameters without a default: {}'.format(entrypoint, ', '.join(missing))
            )
        line = _fill(entrypoint, entry['command'], values)
        for name, value in parameters.items():
            if name not in declared:
                line += ' --{} {}'.format(name, shlex.quote(str(value)))
        return line + ''.join(' ' + shlex.quote(str(argument)) for argument in extra_arguments)

    def _entry(self, name):
        entries = self.document.get('entry_points')
        if not isinstance(entries, dict) or not entries:
            raise project_invalid('MLproject declares no entry_points')
        entry = entries.get(name)
        if entry is None:
            known = ', '.join(str(key) for key in entries)
            raise project_invalid('entry point "{}" is not in MLproject (it has: {})'.format(name, known))
        if not isinstance(entry, dict) or not isinstance(entry.get('command'), str) or not entry['command'].strip():
            raise project_invalid('entry point "{}" has no command'.format(name))
        return entry


def read_project(folder):
    """The project in a folder. @raises ProjectInvalid when the file is missing, doubled or not a mapping."""
    names = [name for name in _listdir(folder) if name.lower() == 'mlproject']
    if not names:
        raise project_invalid('no MLproject file in the project folder: set workDir to the folder that has it')
    if len(names) > 1:
        raise project_invalid('more than one MLproject file: {}'.format(', '.join(sorted(names))))
    return Project(folder, read_yaml(os.path.join(folder, names[0]), 'MLproject'))


def read_yaml(path, name):
    """A YAML mapping; an empty file is an empty mapping."""
    try:
        with open(path, encoding='utf-8') as stream:
            document = yaml.safe_load(stream)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise project_invalid('{} cannot be read: {}'.format(name, ' '.join(str(error).split())))
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise project_invalid('{} is not a mapping'.format(name))
    return document


def _listdir(folder):
    try:
        return os.listdir(folder)
    except OSError as error:
        raise project_invalid('the project folder cannot be read: {}'.format(error.strerror))


def _environment(folder, document):
    """(kind, value) of the environment the project names, else of the first fallback file, else None."""
    named = [key for key in ENVIRONMENT_KEYS if document.get(key)]
    if len(named) > 1:
        raise project_invalid('MLproject names more than one environment: {}'.format(', '.join(named)))
    if named:
        return named[0], document[named[0]]
    for kind, name in FALLBACK_FILES:
        if os.path.isfile(os.path.join(folder, name)):
            return kind, name
    return None


def _declared_parameters(entrypoint, entry):
    """Name to default (None = none). MLflow's short form `name: type` and long form with type and default."""
    parameters = entry.get('parameters') or {}
    if not isinstance(parameters, dict):
        raise project_invalid('parameters of entry point "{}" are not a mapping'.format(entrypoint))
    declared = {}
    for name, value in parameters.items():
        if not PARAMETER_NAME.match(str(name)):
            raise project_invalid('parameter name {!r} must match {}'.format(name, PARAMETER_NAME.pattern))
        declared[str(name)] = value.get('default') if isinstance(value, dict) else None
    return declared


def _fill(entrypoint, command, values):
    unknown = [name for name in PLACEHOLDER.findall(command) if name not in values]
    if unknown:
        raise project_invalid(
            'the command of entry point "{}" uses undeclared parameters: {}'.format(entrypoint, ', '.join(unknown))
        )
    return PLACEHOLDER.sub(lambda match: values[match.group(1)], command)
