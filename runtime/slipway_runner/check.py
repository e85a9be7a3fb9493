"""Loads a packed artifact as a server would and repeats its sample. Meant for a container without network."""
import json
import os
import pickle
from importlib import metadata

from .artifact import load_entrypoint
from .batching import answers_alike
from .failures import RunnerFailure, self_check_failed
from .mlproject import read_yaml
from .results import agree, plain

DESCRIPTIONS = ('platform.model', 'platform.project', 'odahuflow.project', 'odahuflow.model')


def check(artifact_folder):
    """@raises SelfCheckFailed with one sentence"""
    folder, name = _model(artifact_folder)
    _same_library(folder)
    entrypoint = _guarded('import of the entry point', load_entrypoint, folder, name)
    word = _guarded('init', entrypoint.init)
    if word != 'matrix':
        raise self_check_failed('init returned {!r}, expected "matrix"'.format(word))
    _check_info(_guarded('info', entrypoint.info))
    sample = _sample(folder)
    if sample is None:
        print('slipway: no sample, predictions are not checked')
        return
    columns, rows, recorded = sample
    first, second = (_predict(entrypoint, rows, columns) for _ in range(2))
    if not agree(first, second):
        raise self_check_failed('two predictions of the same sample differ')
    if recorded is not None and not agree(first, recorded):
        raise self_check_failed('the prediction of the sample differs from the recorded one')
    if hasattr(entrypoint, 'load_native') and hasattr(entrypoint, 'load_pyfunc'):
        _compare_paths(entrypoint, rows, columns, first)
    if _is_batched(folder) and not answers_alike(lambda some: _predict(entrypoint, some, columns), rows):
        raise self_check_failed('rows predicted together and alone give different predictions')


def _model(artifact_folder):
    for description in DESCRIPTIONS:
        for ending in ('.yaml', '.yml'):
            path = os.path.join(artifact_folder, description + ending)
            if os.path.isfile(path):
                model = read_yaml(path, description).get('model') or {}
                folder = os.path.join(artifact_folder, str(model.get('workDir', '.')))
                name = str(model.get('entrypoint', 'entrypoint'))
                return folder, name[:-3] if name.endswith('.py') else name
    raise self_check_failed('the artifact holds no model description')


def _same_library(folder):
    """A pickled estimator of another minor version of scikit-learn may load and predict wrongly."""
    path = os.path.join(folder, 'MLmodel')
    if not os.path.isfile(path):
        return
    flavors = read_yaml(path, 'MLmodel').get('flavors') or {}
    wanted = (flavors.get('sklearn') or {}).get('sklearn_version')
    if wanted is None:
        return
    installed = _guarded('looking for scikit-learn', metadata.version, 'scikit-learn')
    if str(wanted).split('.')[:2] != installed.split('.')[:2]:
        raise self_check_failed('the model needs scikit-learn {}, installed is {}'.format(wanted, installed))


def _check_info(described):
    if not isinstance(described, tuple) or len(described) != 2:
        raise self_check_failed('info must return the inputs and the outputs')
    for columns in described:
        if not isinstance(columns, list) or any('name' not in column or 'type' not in column for column in columns):
            raise self_check_failed('info must return lists of columns with name and type')


def _sample(folder):
    """(columns, rows, recorded prediction or None), or None without a sample."""
    samples = os.path.join(folder, 'samples')
    if not os.path.isdir(samples):
        samples = folder
    given, recorded = os.path.join(samples, 'input.json'), os.path.join(samples, 'output.json')
    if os.path.isfile(given):
        request = _guarded('reading the sample', _read_json, given)
        reply = _guarded('reading the sample', _read_json, recorded) if os.path.isfile(recorded) else None
        return request['columns'], request['data'], None if reply is None else reply['prediction']
    pickled = os.path.join(samples, 'head_input.pkl')
    if not os.path.isfile(pickled):
        return None
    # Older artifacts: this container has no network and no secrets, which is why only it opens them.
    # head_output.pkl beside it holds labels of the training data: no prediction to compare with.
    frame = _guarded('reading the sample', _read_pickle, pickled)
    return [str(name) for name in frame.columns], plain(frame), None


def _is_batched(folder):
    path = os.path.join(folder, 'slipway.json')
    return os.path.isfile(path) and _guarded('reading slipway.json', _read_json, path).get('batch', False)


def _read_json(path):
    with open(path, encoding='utf-8') as stream:
        return json.load(stream)


def _read_pickle(path):
    with open(path, 'rb') as stream:
        return pickle.load(stream)


def _predict(entrypoint, rows, columns):
    result = _guarded('predict_on_matrix', entrypoint.predict_on_matrix, rows, columns)
    if not isinstance(result, tuple) or len(result) != 2:
        raise self_check_failed('predict_on_matrix must return the matrix and its columns')
    return plain(result[0])


def _compare_paths(entrypoint, rows, columns, served):
    pyfunc = _guarded('loading through pyfunc', entrypoint.load_pyfunc)
    general = plain(_guarded('prediction through pyfunc', pyfunc, rows, columns))
    if not agree(served, general):
        raise self_check_failed('the served path and pyfunc give different predictions')


def _guarded(step, function, *arguments):
    """The model is foreign code: whatever it raises, SystemExit included, is a failed check."""
    try:
        return function(*arguments)
    except RunnerFailure:
        raise
    except BaseException as error:
        raise self_check_failed('{} failed: {}: {}'.format(step, type(error).__name__, ' '.join(str(error).split())))
