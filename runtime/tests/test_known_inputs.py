"""The inputs of a model, from whatever its project gives; and whether rows may be predicted together."""
import json
import pickle

import mlflow.sklearn
import pandas
import pytest
from job import write_tree
from mlflow.models import infer_signature
from server import Server
from sklearn.linear_model import LinearRegression
from slipway_runner.artifact import load_entrypoint, write_artifact
from slipway_runner.batching import answers_alike
from slipway_runner.columns import table_inputs, table_rows
from slipway_runner.failures import RunnerFailure
from slipway_runner.results import plain
from slipway_runner.tracking import find_heads

FRAME = pandas.DataFrame({'b': [1.0, 2.0, 4.0], 'a': [1, 2, 3]})
LABELS = pandas.Series([10.0, 20.0, 40.0], name='quality')
MODEL = LinearRegression().fit(FRAME, LABELS)


@pytest.fixture
def written(tmp_path):
    """written(heads={}, **options of save_model) -> (model folder of the artifact, its settings)"""

    def write(heads=None, estimator=MODEL, **options):
        # Given, as MLflow would find them out in a process of its own.
        mlflow.sklearn.save_model(estimator, str(tmp_path / 'saved'), pip_requirements=['scikit-learn'], **options)
        for name, value in (heads or {}).items():
            with open(str(tmp_path / name), 'wb') as stream:
                pickle.dump(value, stream)
        job = {'model': {'name': 'm', 'version': '1'}}
        folder = tmp_path / 'artifact' / 'platform_model'
        write_artifact(str(tmp_path / 'artifact'), str(tmp_path / 'saved'), str(tmp_path) if heads else None, job, 'run', {}, {})
        return folder, json.loads((folder / 'slipway.json').read_text())

    return write


def names(settings, field='inputs'):
    return [column['name'] for column in settings[field]]


def test_first_rows_that_the_project_logged_give_names_types_and_sample(written, check, tmp_path):
    # Another order and one column more than the estimator was fitted with; the labels are no predictions.
    heads = {'head_input.pkl': FRAME.assign(note='x')[['a', 'note', 'b']], 'head_output.pkl': LABELS * 100}
    folder, settings = written(heads)
    assert (names(settings), settings['dtypes'], settings['path']) == (['b', 'a'], ['float64', 'object'], 'native')
    assert names(settings, 'outputs') == ['quality']
    assert json.loads((folder / 'samples' / 'input.json').read_text()) == {
        'columns': ['b', 'a'],
        'data': [[1.0, 1], [2.0, 2], [4.0, 3]],
    }
    assert check(tmp_path / 'artifact').returncode == 0
    server = Server(str(folder), {}).wait_until_ready()
    try:
        # 2.5 is no integer, as the sample's cells of "a" are: the sample does not prove that the model refuses it.
        given = server.invoke({'columns': ['a', 'b'], 'data': [[2.5, 4.0]]})
        assert given.json == server.invoke({'data': [[4.0, 2.5]]}).json and given.json['columns'] == ['quality']
        refused = server.invoke({'columns': ['a', 'b'], 'data': [['x', 4.0]]})
        assert (refused.status, refused.json) == (400, {'message': 'row 0, column "a": expected a number, got "x"'})
    finally:
        server.close()


def test_a_signature_comes_before_the_first_rows(written):
    signature = infer_signature(FRAME, LABELS)
    _, settings = written({'head_input.pkl': FRAME[['a', 'b']]}, signature=signature)
    assert (names(settings), settings['dtypes']) == (['b', 'a'], ['float64', 'int64'])
    assert [column['example'] for column in settings['inputs']] == [1.0, 1]


def test_an_example_without_a_signature_is_enough(written):
    _, settings = written(signature=False, input_example=FRAME[['a', 'b']])
    assert (names(settings), settings['path'], settings['batch']) == (['b', 'a'], 'native', True)


def test_a_signature_without_an_example_still_names_the_columns(written, capsys):
    folder, settings = written(signature=infer_signature(FRAME, LABELS))
    assert (names(settings), settings['path'], settings['batch']) == (['b', 'a'], 'pyfunc', False)
    assert not (folder / 'samples').exists()
    assert 'slipway: the model has no sample' in capsys.readouterr().out


def test_the_names_of_the_fitted_estimator_order_the_columns(written):
    folder, settings = written()
    assert (names(settings), settings['dtypes']) == (['b', 'a'], [])
    module = load_entrypoint(str(folder), 'entrypoint')
    module.init()
    ordered, turned = module.predict_on_matrix([[4.0, 3]]), module.predict_on_matrix([[3, 4.0]], ['a', 'b'])
    assert ordered[0] == turned[0]


def test_a_model_of_which_nothing_is_known_is_written_and_the_log_says_what_to_add(written, capsys):
    folder, settings = written(estimator=LinearRegression().fit(FRAME.to_numpy(), LABELS))
    assert (settings['inputs'], settings['outputs']) == ([], [])
    printed = capsys.readouterr().out
    assert 'slipway: the inputs of the model are unknown' in printed and 'input_example=' in printed


def test_first_rows_that_cannot_be_read_are_left_out(written, tmp_path, capsys):
    (tmp_path / 'head_input.pkl').write_bytes(b'no pickle')
    _, settings = written({'head_output.pkl': LABELS.to_numpy()})
    assert names(settings) == ['b', 'a'] and names(settings, 'outputs') == []
    assert 'head_input.pkl is not used, it cannot be read' in capsys.readouterr().out


def test_first_rows_that_the_model_cannot_predict_are_67(written):
    with pytest.raises(RunnerFailure, match='the model cannot predict its own example') as caught:
        written({'head_input.pkl': FRAME.assign(a='x')})
    assert caught.value.exit_code == 67


@pytest.mark.parametrize(
    'files, expected',
    [
        ({}, None),
        ({'0/r1/artifacts/model/head_input.pkl': ''}, '0/r1/artifacts/model'),
        ({'0/r1/artifacts/model/head_output.pkl': ''}, '0/r1/artifacts/model'),
        ({'0/models/m-1/artifacts/head_input.pkl': '', '0/r1/artifacts/model/head_input.pkl': ''}, '0/models/m-1/artifacts'),
    ],
)
def test_first_rows_are_found_in_the_model_folder_or_among_the_artifacts_of_a_run(tmp_path, files, expected):
    root = str(write_tree(tmp_path / 'mlruns', dict(files, **{'0/models/m-1/artifacts/MLmodel': ''})))
    found = find_heads(root, root + '/0/models/m-1/artifacts')
    assert found == (None if expected is None else '{}/{}'.format(root, expected))


@pytest.mark.parametrize(
    'predict, sample, alike',
    [
        (lambda rows: [row[0] * 2 for row in rows], [[1.0, 'x']], True),
        (lambda rows: [[row[0], 1] for row in rows], [[1, 2], [3, 4]], True),
        # Centered by the rows of the same call.
        (lambda rows: [row[0] - sum(other[0] for other in rows) / len(rows) for row in rows], [[1.0]], False),
        (lambda rows: [len(rows)] * len(rows), [[1.0], [2.0]], False),
        (lambda rows: [rows[0][0]], [[1.0], [2.0]], False),
        (lambda rows: [1 / (2 - len(rows)) for _ in rows] if len(rows) < 3 else 1 / 0, [[1.0], [2.0]], False),
        # Nothing to tell rows apart by.
        (lambda rows: [1 for _ in rows], [['x'], ['x']], False),
        (lambda rows: [1 for _ in rows], [[None], [1.0]][:1], False),
    ],
)
def test_rows_are_batched_only_when_each_gets_its_own_answer(predict, sample, alike):
    assert answers_alike(predict, sample) is alike


def test_every_type_of_column_is_described():
    frame = pandas.DataFrame(
        {
            'double': [1.5, None],
            'float': pandas.Series([1.5, 2.5], dtype='float32'),
            'whole': [1, 2],
            'nullable': pandas.Series([1, None], dtype='Int64'),
            'flag': [True, False],
            'text': ['x', None],
            'time': pandas.to_datetime(['2026-01-02', None]),
        }
    )
    inputs = table_inputs(frame)
    assert inputs.dtypes == ['float64', 'float32', 'object', 'object', 'bool', 'string', 'datetime']
    required = [column['name'] for column in inputs.columns if column['required']]
    assert required == ['float', 'whole', 'flag']
    assert plain(table_rows(frame, inputs)) == [
        [1.5, 1.5, 1, 1, True, 'x', '2026-01-02T00:00:00'],
        [None, 2.5, 2, None, False, None, None],
    ]


def test_cells_without_a_common_type_leave_the_names():
    inputs = table_inputs(pandas.DataFrame({'a': [1.0], 'b': [[1]]}))
    assert ([column['name'] for column in inputs.columns], inputs.dtypes) == (['a', 'b'], [])
