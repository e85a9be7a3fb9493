"""The entry point written for a model: both paths, column order, other kinds of models."""
import json
import random

import numpy
import pytest
from job import run_project
from server import Server
from slipway_runner.artifact import load_entrypoint
from slipway_runner.results import agree, plain

PROJECT = 'entry_points: {main: {command: "python train.py"}}'
PRELUDE = """
import mlflow, numpy, pandas
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression, LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
frame = pandas.DataFrame({'a': [1.0, 2.0, 3.0, 4.0], 'b': [1, 0, 1, 1], 'c': ['x', 'y', 'x', 'y']})
target = numpy.array([0, 0, 1, 1])
"""


@pytest.fixture
def wine(wine_job):
    module = load_entrypoint(str(wine_job.artifact / 'platform_model'), 'entrypoint')
    assert module.init() == 'matrix'
    return module


def settings_of(artifact):
    return json.loads((artifact / 'platform_model' / 'slipway.json').read_text())


def test_the_example_is_served_natively_and_both_paths_agree(wine, wine_job):
    assert settings_of(wine_job.artifact)['path'] == 'native'
    names = [column['name'] for column in wine.info()[0]]
    source = random.Random(1)
    rows = [[source.uniform(0, 100) for _ in names] for _ in range(50)]
    native, general = wine.load_native()(rows, names), wine.load_pyfunc()(rows, names)
    assert agree(plain(native), plain(general))


def test_columns_in_another_order_give_the_same_prediction(wine, wine_job):
    sample = json.loads((wine_job.artifact / 'platform_model' / 'samples' / 'input.json').read_text())
    expected, columns = wine.predict_on_matrix(sample['data'])
    backwards = [row[::-1] for row in sample['data']]
    turned, _ = wine.predict_on_matrix(backwards, tuple(sample['columns'][::-1]))
    assert numpy.array_equal(turned, expected) and columns == ('prediction',)
    with pytest.raises(ValueError, match='missing columns: proline'):
        wine.predict_on_matrix([row[:-1] for row in sample['data']], sample['columns'][:-1])


def test_a_nan_still_reaches_the_estimators_own_check(wine):
    rows = [[1.0] * 12, [float('nan')] * 12]
    for _ in range(2):
        assert len(wine.predict_on_matrix(rows[:1])[0]) == 1
        with pytest.raises(ValueError, match='NaN'):
            wine.predict_on_matrix(rows)


def test_the_packed_example_is_served_and_repeats_its_sample(wine_job):
    folder = wine_job.artifact / 'platform_model'
    sample, recorded = (json.loads((folder / 'samples' / name).read_text()) for name in ('input.json', 'output.json'))
    server = Server(str(folder), {}).wait_until_ready()
    try:
        reply = server.invoke(sample)
        assert reply.status == 200 and reply.json['columns'] == recorded['columns']
        assert agree(reply.json['prediction'], recorded['prediction'])
        assert server.get('/api/model/info').json['x-slipway'] == {'hasSamples': True}
    finally:
        server.close()


def trained(tmp_path, program):
    ran = run_project(tmp_path, {'MLproject': PROJECT, 'train.py': PRELUDE + program})
    assert ran.code == 0, ran.stderr
    return ran.artifact, load_entrypoint(str(ran.artifact / 'platform_model'), 'entrypoint')


def test_a_model_that_needs_its_frame_is_served_through_pyfunc(tmp_path, check):
    artifact, module = trained(
        tmp_path,
        'model = make_pipeline(ColumnTransformer([("c", OneHotEncoder(), ["c"])], remainder="passthrough"), LogisticRegression())\n'
        'mlflow.sklearn.log_model(model.fit(frame, target), name="m", input_example=frame)\n',
    )
    assert settings_of(artifact)['path'] == 'pyfunc'
    assert [(column['name'], column['type']) for column in module.info()[0]] == [('a', 'number'), ('b', 'integer'), ('c', 'string')]
    assert check(artifact).returncode == 0


def test_a_numeric_model_that_needs_its_frame_falls_back_to_pyfunc(tmp_path):
    artifact, module = trained(
        tmp_path,
        'model = make_pipeline(ColumnTransformer([("b", "passthrough", ["b"])]), LinearRegression())\n'
        'mlflow.sklearn.log_model(model.fit(frame[["a", "b"]], target), name="m", input_example=frame[["a", "b"]])\n',
    )
    assert settings_of(artifact)['path'] == 'pyfunc' and settings_of(artifact)['native'] is not None
    module.init()
    assert len(module.predict_on_matrix([[1, 2.0]], ['b', 'a'])[0]) == 1


def test_probabilities_have_a_column_each_and_an_array_example_is_understood(tmp_path):
    artifact, module = trained(
        tmp_path,
        'data = frame[["a", "b"]].to_numpy()\n'
        'mlflow.sklearn.log_model(LogisticRegression().fit(data, target), name="m", input_example=data, pyfunc_predict_fn="predict_proba")\n',
    )
    assert settings_of(artifact)['path'] == 'native'
    module.init()
    matrix, columns = module.predict_on_matrix([[1.0, 0.0]])
    assert matrix.shape == (1, 2) and columns == ('prediction_0', 'prediction_1')
    assert [column['name'] for column in module.info()[0]] == ['x0', 'x1']


def test_a_model_without_an_example_has_no_sample_and_still_serves(tmp_path, check):
    artifact, module = trained(
        tmp_path,
        'class Double(mlflow.pyfunc.PythonModel):\n'
        '    def predict(self, context, model_input, params=None): return model_input * 2\n'
        'mlflow.pyfunc.log_model(name="m", python_model=Double())\n',
    )
    assert module.info() == ([], []) and not (artifact / 'platform_model' / 'samples').exists()
    module.init()
    matrix, columns = module.predict_on_matrix([[1, 2]], ['a', 'b'])
    assert plain(matrix) == [[2, 4]] and columns == ('a', 'b')
    assert check(artifact).returncode == 0


def test_a_model_that_cannot_repeat_its_example_is_67(tmp_path):
    program = (
        'import glob\n'
        'data = frame[["a", "b"]]\n'
        'mlflow.sklearn.log_model(LinearRegression().fit(data, target), name="m", input_example=data)\n'
        'open(glob.glob("../mlruns/**/model.skops", recursive=True)[0], "w").close()\n'
    )
    ran = run_project(tmp_path, {'MLproject': PROJECT, 'train.py': PRELUDE + program})
    assert (ran.code, ran.outcome['reason']) == (67, 'SelfCheckFailed'), ran.stderr
    assert ran.outcome['message'].startswith('the model cannot predict its own example: ')
