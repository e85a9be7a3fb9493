"""A training that publishes the files that its program writes."""
import json

import pytest
from job import run_project

PROJECT = 'entry_points: {{main: {{command: {}}}}}'


def run(tmp_path, command, files=(), **fields):
    tree = dict({'MLproject': PROJECT.format(json.dumps(command))}, **dict(files))
    return run_project(tmp_path, tree, collect='files', **fields)


def contents(ran):
    return {str(path.relative_to(ran.artifact)): path.read_text() for path in ran.artifact.rglob('*') if path.is_file()}


def test_what_the_program_wrote_is_the_artifact_over_the_static_files(tmp_path):
    ran = run(
        tmp_path,
        'mkdir $SLIPWAY_OUTPUT_DIR/more; echo graph > $SLIPWAY_OUTPUT_DIR/model.onnx; echo new > $SLIPWAY_OUTPUT_DIR/more/a',
        {'sub/static/config.pbtxt': 'c', 'sub/static/more/a': 'old'},
        envs=[{'name': 'STATIC_ARTIFACTS_DIR', 'value': 'sub/static'}],
    )
    assert ran.code == 0, ran.stderr
    assert contents(ran) == {
        'model.onnx': 'graph\n',
        'config.pbtxt': 'c',
        'more/a': 'new\n',
        'platform.model.yaml': "name: test\nversion: '1'\n",
    }
    assert ran.outcome['phase'] == 'done'
    assert sorted(path.name for path in ran.output.iterdir()) == ['.slipway', 'artifact']


def test_a_description_of_the_program_stays(tmp_path):
    ran = run(tmp_path, 'echo "name: mine" > $SLIPWAY_OUTPUT_DIR/platform.model.yaml')
    assert contents(ran) == {'platform.model.yaml': 'name: mine\n'}


def test_a_program_that_writes_nothing_says_so(tmp_path):
    ran = run(tmp_path, 'true')
    assert (ran.code, ran.outcome['message']) == (66, 'the program wrote no file to the folder SLIPWAY_OUTPUT_DIR')


@pytest.mark.parametrize('static', ['..', '/etc', 'absent', '.'])
def test_static_files_come_from_the_repository(tmp_path, static):
    ran = run(tmp_path, 'true', envs=[{'name': 'STATIC_ARTIFACTS_DIR', 'value': static}])
    assert ran.code == 64
    assert ran.outcome['message'] == 'STATIC_ARTIFACTS_DIR "{}" is not a folder of the repository'.format(static)
