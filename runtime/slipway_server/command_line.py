"""The program of an image of container-cli: info, predict INPUT_FILE OUTPUT_DIR, self_check."""
import argparse
import json
import math
import os
import sys
import tempfile
import traceback

from .body import parse_object
from .errors import HttpError, ModelError
from .matrix import Inputs
from .model import load_model, read_samples
from .openapi import request_schema, response_schema
from .prediction import create_encode, to_lists
from .settings import SettingsError, read_settings

RESULT = 'result.json'
RELATIVE_TOLERANCE = 1e-6


class Refused(Exception):
    """Input that cannot be used, or a model that does not do what it should, in one line."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refused('{}; see {} --help'.format(message, self.prog))


def main(argv=None):
    """@returns the exit code: 1 with one line on stderr"""
    try:
        options = _parser().parse_args(argv)
        options.run(options)
        return 0
    except Refused as error:
        print('slipway: {}'.format(' '.join(str(error).split())), file=sys.stderr)
        return 1


def _parser():
    parser = Parser(prog='model', description='Predicts rows of a file with the model of this image.')
    commands = parser.add_subparsers(dest='command')
    commands.required = True  # an argument of add_subparsers only since Python 3.7
    info = commands.add_parser('info', help='print the input and the output schema of the model')
    info.set_defaults(run=lambda options: _print_schemas(_load()[1]))
    predict = commands.add_parser('predict', help='predict the rows of a file')
    predict.add_argument('input_file', help='JSON: {"columns": [...], "data": [[...], ...]}')
    predict.add_argument('output_dir', help='folder that gets the result; made when it does not exist')
    predict.add_argument('--output_file_name', default=RESULT, metavar='NAME', help='default: ' + RESULT)
    predict.set_defaults(run=_predict)
    check = commands.add_parser('self_check', help='print the schemas, and repeat the recorded sample')
    check.set_defaults(run=_self_check)
    return parser


def _print_schemas(model):
    for title, schema in (('Input', request_schema(model)), ('Output', response_schema(model))):
        print('{} schema:'.format(title))
        print(json.dumps(schema, indent=2))


def _predict(options):
    document = _read(options.input_file)
    path = _target(options.output_dir, options.output_file_name)
    _, model = _load()
    _write(path, _predicted(model, document))
    print('{} written'.format(path))


def _self_check(_options):
    settings, model = _load()
    _print_schemas(model)
    samples = read_samples(settings.location)
    if samples is None:
        print('WARNING the model has no sample, only its schemas were read')
        return
    request, recorded = samples
    with tempfile.TemporaryDirectory() as folder:
        given = os.path.join(folder, 'input.json')
        _write(given, request.encode('utf-8'))
        _write(os.path.join(folder, RESULT), _predicted(model, _read(given)))
        with open(os.path.join(folder, RESULT), encoding='utf-8') as stream:
            result = json.load(stream)
    if not agree(result, json.loads(recorded)):
        raise Refused('the model answers its sample otherwise than it did after its training')
    print('INFO {} {} predicts its sample'.format(model.name, model.version))


def _load():
    """(settings, model)"""
    try:
        settings = read_settings(os.environ)
    except SettingsError as error:
        raise Refused(str(error))
    try:
        return settings, load_model(settings)
    # The entry point is foreign code and may raise SystemExit.
    except BaseException as error:
        traceback.print_exc()
        raise Refused('the model cannot be loaded: {}: {}'.format(type(error).__name__, error))


def _read(path):
    try:
        with open(path, 'rb') as stream:
            body = stream.read()
    except OSError as error:
        raise Refused('cannot read {}: {}'.format(path, error.strerror))
    try:
        return parse_object(body)
    except HttpError as error:
        raise Refused('{}: {}'.format(path, error.message))


def _predicted(model, document):
    """The reply of an invoke, as bytes."""
    try:
        names, rows = Inputs(model.inputs, model.typed).arrange(document.get('columns'), document.get('data'))
    except HttpError as error:
        raise Refused(error.message)
    try:
        matrix, columns = model.predict(rows, names)
        reply = {'prediction': to_lists(matrix), 'columns': [str(name) for name in columns or ()]}
        return create_encode(model.serializer)(reply)
    except BaseException as error:
        traceback.print_exc()
        raise Refused(ModelError(error).message)


def _target(folder, name):
    if os.path.basename(name) != name or name in ('', '.', '..'):
        raise Refused('--output_file_name must be a file name without a folder, not {!r}'.format(name))
    return os.path.join(folder, name)


def _write(path, content):
    """Whole or not at all: a reader never sees half a result."""
    part = path + '.part'
    try:
        os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
        with open(part, 'wb') as stream:
            stream.write(content)
        os.replace(part, path)
    except OSError as error:
        raise Refused('cannot write {}: {}'.format(path, error.strerror))


def agree(got, expected):
    """Equal shape; numbers equal to 1e-6 of the larger one."""
    if isinstance(got, list) and isinstance(expected, list):
        return len(got) == len(expected) and all(map(agree, got, expected))
    if isinstance(got, dict) and isinstance(expected, dict):
        return all(name in got and agree(got[name], value) for name, value in expected.items())
    if isinstance(got, (int, float)) and isinstance(expected, (int, float)):
        return math.isclose(got, expected, rel_tol=RELATIVE_TOLERANCE, abs_tol=RELATIVE_TOLERANCE)
    return got == expected


if __name__ == '__main__':
    sys.exit(main())
