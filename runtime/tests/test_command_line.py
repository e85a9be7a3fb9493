import json
import os
import subprocess
import sys

import pytest
from iris import AREA, COLUMNS, PLAIN, SAMPLES, returning
from job import RUNTIME


@pytest.fixture
def model(tmp_path):
    """model(source, samples=None) returns a function that runs the command line around an entry point's source."""

    def make(source, samples=None):
        folder = tmp_path / 'model'
        (folder / 'samples').mkdir(parents=True)
        (folder / 'entrypoint.py').write_text(source)
        for name, document in zip(('input', 'output'), samples or ()):
            (folder / 'samples' / (name + '.json')).write_text(json.dumps(document))

        def run(*arguments):
            return subprocess.run(
                [sys.executable, '-m', 'slipway_server.command_line', *map(str, arguments)],
                env=dict(os.environ, PYTHONPATH=RUNTIME, MODEL_LOCATION=str(folder), PYTHONDONTWRITEBYTECODE='1'),
                capture_output=True,
                text=True,
                timeout=60,
            )

        return run

    return make


@pytest.fixture
def rows(tmp_path):
    """rows(document) writes a request and returns its path."""

    def write(document):
        path = tmp_path / 'rows.json'
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return path

    return write


def test_info_prints_both_schemas(model):
    done = model(AREA)('info')
    assert done.returncode == 0
    _, first, second = done.stdout.replace('Output schema:', 'Input schema:').split('Input schema:')
    assert json.loads(first)['properties']['columns']['items']['enum'] == COLUMNS
    assert json.loads(second)['properties']['columns']['items']['enum'] == ['area']


def test_predict_writes_the_reply_of_an_invoke_whatever_the_order_of_the_columns(model, rows, tmp_path):
    source = rows({'columns': COLUMNS[::-1], 'data': [[2.0, 1.5], [1.0, 4.0]]})
    done = model(AREA)('predict', source, tmp_path / 'new' / 'out')
    assert (done.returncode, done.stderr) == (0, '')
    result = json.loads((tmp_path / 'new' / 'out' / 'result.json').read_text())
    assert result == {'prediction': [3.0, 4.0], 'columns': ['area']}
    assert os.listdir(str(tmp_path / 'new' / 'out')) == ['result.json']


@pytest.mark.parametrize(
    'expression, imports, expected', [('[2, 3]', '', [2, 3]), ('numpy.array([[2.0, float("nan")]])', 'import numpy', [[2.0, None]])]
)
def test_lists_and_arrays_are_results(model, rows, tmp_path, expression, imports, expected):
    run = model(returning(expression, imports))
    done = run('predict', rows({'data': [[1]]}), tmp_path, '--output_file_name', 'mine.json')
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / 'mine.json').read_text())['prediction'] == expected


@pytest.mark.parametrize(
    'document, message',
    [
        ('', 'Please provide data'),
        ('{', 'Can not parse input as JSON'),
        ('[1]', 'must be a JSON object'),
        ({'columns': COLUMNS}, 'Matrix is not provided'),
        ({'columns': COLUMNS, 'data': [[1.0]]}, 'row 0 has 1 values, expected 2'),
        ({'columns': ['other'], 'data': [[1.0]]}, 'required columns "sepal_length", "sepal_width" are missing'),
    ],
)
def test_a_bad_input_file_is_one_line_on_stderr(model, rows, tmp_path, document, message):
    refused(model(AREA)('predict', rows(document), tmp_path / 'out'), message)
    assert not (tmp_path / 'out').exists()


@pytest.mark.parametrize(
    'arguments, message',
    [
        ((), 'command'),
        (('serve',), 'invalid choice'),
        (('predict', 'rows.json'), 'output_dir'),
        (('predict', 'absent.json', 'out'), 'cannot read absent.json: No such file'),
        (('predict', '/', 'out'), 'cannot read /: Is a directory'),
    ],
)
def test_a_bad_command_line_is_one_line_on_stderr(model, arguments, message):
    refused(model(AREA)(*arguments), message)


@pytest.mark.parametrize('name', ['../result.json', '/tmp/result.json', '..', ''])
def test_the_result_stays_in_its_folder(model, rows, tmp_path, name):
    source = rows(SAMPLES[0])
    refused(model(AREA)('predict', source, tmp_path / 'out', '--output_file_name', name), 'without a folder')


def test_a_folder_that_cannot_be_written_is_named(model, rows):
    refused(model(AREA)('predict', rows(SAMPLES[0]), '/proc/nowhere'), 'cannot write /proc/nowhere/result.json')


@pytest.mark.parametrize('source', [PLAIN.format('1 / 0'), PLAIN.format('exit(0)')])
def test_a_model_that_fails_is_named_after_its_traceback(model, rows, tmp_path, source):
    done = model(source)('predict', rows({'data': [[1]]}), tmp_path / 'out')
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith('slipway: Exception during prediction: ')
    assert not (tmp_path / 'out').exists()


def test_a_model_that_cannot_be_loaded_is_named(model):
    done = model('raise SystemExit(0)')('info')
    assert done.returncode == 1
    assert 'the model cannot be loaded: SystemExit' in done.stderr.splitlines()[-1]


def test_the_self_check_repeats_the_sample(model):
    done = model(AREA, SAMPLES)('self_check')
    assert (done.returncode, done.stderr) == (0, '')
    assert done.stdout.splitlines()[-1] == 'INFO model 1 predicts its sample'


def test_the_self_check_finds_another_answer(model):
    refused(model(AREA, (SAMPLES[0], {'prediction': [4.0]}))('self_check'), 'answers its sample otherwise')


def test_without_a_sample_the_self_check_says_so(model):
    assert 'no sample' in model(AREA)('self_check').stdout


def refused(done, message):
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert message in done.stderr
