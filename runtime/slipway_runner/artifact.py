"""Writes the artifact: model folder with entry point and sample, descriptions, lock and provenance."""
import importlib.util
import json
import os
import shutil
import sys
from importlib import metadata

import yaml

from . import columns, locks
from .batching import answers_alike
from .failures import self_check_failed
from .known_inputs import known_inputs, output_names
from .results import agree, plain

MODEL_FOLDER = 'platform_model'
ENTRYPOINT = 'entrypoint'
TEMPLATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'model_folder', ENTRYPOINT + '.py')


def write_artifact(target, model_source, heads, job, run_id, params, metrics):
    """Fills the folder `target`; `heads` is the folder of head_input.pkl and head_output.pkl, or None.

    @raises SelfCheckFailed when the model cannot repeat its own example
    """
    folder = os.path.join(target, MODEL_FOLDER)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(model_source, folder)
    shutil.copyfile(TEMPLATE, os.path.join(folder, ENTRYPOINT + '.py'))
    _write_model_settings(folder, heads)
    with open(os.path.join(target, 'lock.txt'), 'w', encoding='utf-8') as stream:
        stream.write(locks.installed_lock(job.get('lockFile')))
    description = _description(job, run_id)
    _write_yaml(os.path.join(target, 'platform.model.yaml'), description)
    _write_yaml(os.path.join(target, 'odahuflow.project.yaml'), dict(description, odahuflowVersion='1.0'))
    write_json(
        os.path.join(target, 'provenance.json'),
        {
            'kind': job.get('kind'),
            'id': job.get('id'),
            'generation': job.get('generation'),
            'commit': job.get('commit'),
            'dataDigests': job.get('dataDigests', {}),
            'hyperParameters': job.get('hyperParameters', {}),
            'runId': run_id,
            'params': params,
            'metrics': metrics,
        },
    )


def load_entrypoint(folder, name):
    """Imports the entry point of a model folder again, with the folder on the path as in a packaged image."""
    folder = os.path.abspath(folder)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, name + '.py'))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def write_json(path, document):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as stream:
        json.dump(document, stream, indent=2, sort_keys=True, allow_nan=False)
        stream.write('\n')


def _write_model_settings(folder, heads):
    from mlflow.models import Model

    model = Model.load(folder)
    inputs, rows = known_inputs(model, folder, heads)
    sample = None if rows is None else plain(rows)
    examples = sample[0] if sample else [None] * len(inputs.columns)
    settings = {
        'inputs': [dict(column, example=example) for column, example in zip(inputs.columns, examples)],
        'outputs': _described_outputs(output_names(heads)),
        'dtypes': inputs.dtypes,
        'form': inputs.form,
        'native': columns.native_settings(model, inputs) if sample else None,
        'path': 'pyfunc',
        'batch': False,
    }
    if sample:
        _record_sample(folder, settings, sample, inputs)
    write_json(os.path.join(folder, 'slipway.json'), settings)


def _record_sample(folder, settings, sample, inputs):
    """Predicts the sample on both paths, records the reply, and chooses the path and whether rows may be batched."""
    path = os.path.join(folder, 'slipway.json')
    write_json(path, settings)
    try:
        entrypoint = load_entrypoint(folder, ENTRYPOINT)
        entrypoint.init()
        result, names = entrypoint.predict_on_matrix(sample)
    # The model is the user's code: it may raise anything, SystemExit included.
    except BaseException as error:
        raise self_check_failed('the model cannot predict its own example: {}: {}'.format(type(error).__name__, error))
    prediction = plain(result)
    names_in = [column['name'] for column in settings['inputs']]
    if settings['native'] is not None and agree(_native_prediction(entrypoint, sample), prediction):
        settings['path'] = 'native'
        predict = entrypoint.load_native()
    elif inputs.types_of_a_row_are_its_own():
        predict = entrypoint.load_pyfunc()
    else:
        predict = None
    if predict is not None:
        settings['batch'] = answers_alike(lambda rows: plain(predict(rows, names_in)), sample, only_if_fast=True)
    settings['outputs'] = _described_outputs(names, prediction)
    write_json(os.path.join(folder, 'samples', 'input.json'), {'columns': names_in, 'data': sample})
    write_json(os.path.join(folder, 'samples', 'output.json'), {'prediction': prediction, 'columns': list(names)})


def _native_prediction(entrypoint, sample):
    try:
        predict = entrypoint.load_native()
        return None if predict is None else plain(predict(sample, None))
    except Exception as error:
        # Many models need their frame (column transformers by name): the general path serves those.
        print('slipway: served through pyfunc, the native path failed: {}'.format(error), flush=True)
        return None


def _described_outputs(names, prediction=()):
    first = prediction[0] if prediction else [None] * len(names)
    values = first if isinstance(first, list) else [first]
    kinds = {bool: 'boolean', int: 'integer', str: 'string'}
    return [
        {'name': name, 'type': kinds.get(type(value), 'number'), 'example': value, 'required': True}
        for name, value in zip(names, values)
    ]


def _description(job, run_id):
    name, version = job['model']['name'], job['model']['version']
    return {
        'name': name,
        'version': version,
        'model': {'name': name, 'version': version, 'workDir': MODEL_FOLDER, 'entrypoint': ENTRYPOINT},
        'binaries': {
            'type': 'python',
            'dependencies': 'conda',
            'conda_path': MODEL_FOLDER + '/conda.yaml',
            'lock': 'lock.txt',
            'python': '{}.{}.{}'.format(*sys.version_info[:3]),
        },
        'toolchain': {'name': 'mlflow', 'version': _mlflow_version()},
        'output': {'run_id': run_id},
    }


def _mlflow_version():
    for name in ('mlflow', 'mlflow-skinny'):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return 'unknown'


def _write_yaml(path, document):
    with open(path, 'w', encoding='utf-8') as stream:
        yaml.safe_dump(document, stream, sort_keys=False)
