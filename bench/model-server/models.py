"""The models of the table: trained by the job runner, so that they are served as in a packaged image."""
import json
import os
import shutil
import subprocess
import sys

from servers import HERE, RUNTIME

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(HERE)), 'examples')
PROJECTS = {'iris': os.path.join(HERE, 'iris'), 'wine': os.path.join(EXAMPLES, 'wine')}


def make_models(scratch, projects=tuple(PROJECTS)):
    """Row name to (model folder, request body of one row). Rows ending in pyfunc are the same model on that path."""
    models = {'null': (os.path.join(HERE, 'null'), json.dumps({'columns': list('abcd'), 'data': [[1.5, 2.0, 3.0, 4.0]]}))}
    for name in projects:
        folder = _train(os.path.join(scratch, name), name, PROJECTS[name])
        with open(os.path.join(folder, 'samples', 'input.json')) as stream:
            sample = json.load(stream)
        body = json.dumps({'columns': sample['columns'], 'data': sample['data'][:1]})
        models[name + ' native'] = (_with_path(folder, 'native'), body)
        models[name + ' pyfunc'] = (_with_path(folder, 'pyfunc'), body)
    return models


def _train(workspace, name, project):
    shutil.copytree(project, os.path.join(workspace, 'src'))
    job = {
        'kind': 'training',
        'id': name,
        'generation': 1,
        'model': {'name': name, 'version': '1'},
        'entrypoint': 'main',
        'workDir': '',
        'sourceDir': os.path.join(workspace, 'src'),
        'outputDir': os.path.join(workspace, 'output'),
    }
    path = os.path.join(workspace, 'job.json')
    with open(path, 'w') as stream:
        json.dump(job, stream)
    command = [sys.executable, '-m', 'slipway_runner', 'train', '--job', path]
    subprocess.run(command, env=dict(os.environ, PYTHONPATH=RUNTIME), check=True, stdout=subprocess.DEVNULL)
    return os.path.join(workspace, 'output', 'artifact', 'platform_model')


def _with_path(folder, path):
    """A copy of the model folder that serves by the given path."""
    copy = '{}-{}'.format(folder, path)
    shutil.copytree(folder, copy)
    settings_file = os.path.join(copy, 'slipway.json')
    with open(settings_file) as stream:
        settings = json.load(stream)
    assert path == 'pyfunc' or settings['path'] == 'native', 'the runner did not choose the native path'
    with open(settings_file, 'w') as stream:
        json.dump(dict(settings, path=path), stream)
    return copy
