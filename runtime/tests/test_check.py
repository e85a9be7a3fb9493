import json
import pickle

import pytest


def test_a_good_artifact_passes(wine_artifact, check):
    done = check(wine_artifact)
    assert (done.returncode, done.stderr) == (0, '')


def refused(done):
    assert done.returncode == 67
    lines = done.stderr.strip().splitlines()
    assert lines[-1].startswith('slipway: ')
    return lines[-1][len('slipway: ') :]


def test_a_prediction_unlike_the_recorded_one_is_67(wine_artifact, check):
    path = wine_artifact / 'platform_model' / 'samples' / 'output.json'
    reply = json.loads(path.read_text())
    reply['prediction'][0] *= 1 + 1e-7
    path.write_text(json.dumps(reply))
    assert refused(check(wine_artifact)) == 'the prediction of the sample differs from the recorded one'


def test_a_native_path_unlike_pyfunc_is_67(wine_artifact, check):
    # The native path takes the estimator file that slipway.json names; pyfunc the one that MLmodel names.
    code = wine_artifact / 'platform_model' / 'entrypoint.py'
    code.write_text(code.read_text().replace('return method(matrix)', 'return method(matrix) + 1'))
    (wine_artifact / 'platform_model' / 'samples' / 'output.json').unlink()
    assert refused(check(wine_artifact)) == 'the served path and pyfunc give different predictions'


def test_another_minor_version_of_the_library_is_67(wine_artifact, check):
    path = wine_artifact / 'platform_model' / 'MLmodel'
    lines = path.read_text().splitlines()
    path.write_text('\n'.join('    sklearn_version: 0.20.3' if 'sklearn_version' in line else line for line in lines))
    assert 'the model needs scikit-learn 0.20.3, installed is' in refused(check(wine_artifact))


def test_an_artifact_without_a_description_is_67(tmp_path, check):
    assert refused(check(tmp_path)) == 'the artifact holds no model description'


def foreign(tmp_path, source):
    """An artifact of another toolchain: old description name, own entry point."""
    (tmp_path / 'odahuflow.project.yml').write_text('model: {workDir: m, entrypoint: serve.py}')
    (tmp_path / 'm').mkdir()
    (tmp_path / 'm' / 'serve.py').write_text(source)
    return tmp_path


GOOD = """
def init(): return 'matrix'
def info(): return [], []
def predict_on_matrix(rows, provided_columns_names=None): return [sum(row) for row in rows], ('sum',)
"""


def test_a_foreign_artifact_without_a_sample_is_loaded(tmp_path, check):
    done = check(foreign(tmp_path, GOOD))
    assert (done.returncode, done.stdout) == (0, 'slipway: no sample, predictions are not checked\n')


@pytest.mark.parametrize('broken, code', [(('return [sum', 'import random; return [random.random() + sum'), 67), (('', ''), 0)])
def test_pickled_samples_of_older_artifacts_are_predicted_and_their_labels_not_compared(tmp_path, check, broken, code):
    import numpy
    import pandas

    artifact = foreign(tmp_path, GOOD.replace(*broken))
    with open(str(artifact / 'm' / 'head_input.pkl'), 'wb') as stream:
        pickle.dump(pandas.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=['a', 'b']), stream)
    with open(str(artifact / 'm' / 'head_output.pkl'), 'wb') as stream:
        pickle.dump(numpy.array([1, 0]), stream)
    assert check(artifact).returncode == code


@pytest.mark.parametrize(
    'change, message',
    [
        (('def init', 'import sys; sys.exit(0)\ndef init'), 'import of the entry point failed: SystemExit: 0'),
        (("return 'matrix'", 'return 1'), 'init returned 1, expected "matrix"'),
        (("return 'matrix'", "raise OSError('gone')"), 'init failed: OSError: gone'),
        (('return [], []', 'return []'), 'info must return the inputs and the outputs'),
        (('return [], []', 'return [{}], []'), 'info must return lists of columns with name and type'),
        (('return [sum', 'import random; return [random.random() + sum'), 'two predictions of the same sample differ'),
        ((", ('sum',)", ''), 'predict_on_matrix must return the matrix and its columns'),
    ],
)
def test_every_broken_function_is_67_with_one_sentence(tmp_path, check, change, message):
    artifact = foreign(tmp_path, GOOD.replace(*change))
    (artifact / 'm' / 'samples').mkdir()
    (artifact / 'm' / 'samples' / 'input.json').write_text('{"columns": ["a", "b"], "data": [[1, 2]]}')
    assert refused(check(artifact)) == message
