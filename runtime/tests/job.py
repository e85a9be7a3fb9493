"""Runs the job runner as its container does, and reads what it left behind."""
import json
import os
import pathlib
import subprocess
import sys

RUNTIME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Ran:
    def __init__(self, workspace, code, stdout, stderr):
        self.workspace = workspace
        self.code = code
        self.stdout = stdout
        self.stderr = stderr
        self.output = workspace / 'output'
        self.artifact = self.output / 'artifact'
        self.outcome = json.loads((self.output / '.slipway' / 'outcome.json').read_text())


def job_file(workspace, **fields):
    job = {
        'kind': 'training',
        'id': 'test',
        'generation': 1,
        'model': {'name': 'test', 'version': '1'},
        'entrypoint': 'main',
        'workDir': '',
        'hyperParameters': {},
        'envs': [],
        'args': [],
        'sourceDir': str(workspace / 'src'),
        'outputDir': str(workspace / 'output'),
        'commit': '0123456789abcdef',
        'dataDigests': {'data.csv': 'sha256:00'},
    }
    job.update(fields)
    path = workspace / 'job.json'
    path.write_text(json.dumps(job))
    return path


def start_job(workspace, collect='model', **fields):
    command = [sys.executable, '-m', 'slipway_runner', '--collect', collect]
    command += ['train', '--job', str(job_file(workspace, **fields))]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=dict(os.environ, PYTHONPATH=RUNTIME), stdout=pipe, stderr=pipe, text=True)


def run_job(workspace, **fields):
    process = start_job(workspace, **fields)
    stdout, stderr = process.communicate(timeout=180)
    return Ran(workspace, process.returncode, stdout, stderr)


def run_project(workspace, files, **fields):
    """Runs a job over a source tree given as path to text."""
    workspace = pathlib.Path(str(workspace))
    write_tree(workspace / 'src', files)
    return run_job(workspace, **fields)


def write_tree(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
