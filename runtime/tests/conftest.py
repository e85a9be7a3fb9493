"""Fixtures: a real server around a small entry point, and real jobs in a scratch workspace."""
import json
import os
import shutil
import subprocess
import sys

import pytest
from job import RUNTIME, run_job
from server import Server

WINE = os.path.join(os.path.dirname(RUNTIME), 'examples', 'wine')


@pytest.fixture
def serve(tmp_path):
    """serve(source, samples=None, settings=None, **environment) starts a server around an entry point's source.

    `settings` is what the job runner would have written to slipway.json.
    """
    started = []

    def start(source, samples=None, settings=None, **environment):
        folder = tmp_path / 'model-{}'.format(len(started))
        folder.mkdir()
        (folder / 'entrypoint.py').write_text(source)
        if settings is not None:
            (folder / 'slipway.json').write_text(json.dumps(settings))
        if samples is not None:
            (folder / 'samples').mkdir()
            for name, document in zip(('input', 'output'), samples):
                (folder / 'samples' / (name + '.json')).write_text(json.dumps(document))
        started.append(Server(str(folder), environment).wait_until_ready())
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture(scope='session')
def wine_job(tmp_path_factory):
    """The example project, trained once."""
    workspace = tmp_path_factory.mktemp('wine')
    shutil.copytree(WINE, str(workspace / 'src'))
    return run_job(workspace, model={'name': 'wine', 'version': '1.0'}, hyperParameters={'alpha': '0.05'})


@pytest.fixture
def wine_artifact(wine_job, tmp_path):
    """A copy that the test may damage."""
    target = tmp_path / 'artifact'
    shutil.copytree(str(wine_job.artifact), str(target))
    return target


@pytest.fixture
def check():
    """check(folder) runs the self-check in a process of its own."""

    def run(folder):
        return subprocess.run(
            [sys.executable, '-m', 'slipway_runner', 'check', '--artifact', str(folder)],
            env=dict(os.environ, PYTHONPATH=RUNTIME),
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run
