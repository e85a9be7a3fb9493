import pytest
from job import write_tree
from slipway_runner.failures import RunnerFailure, user_code_failed
from slipway_runner.locks import installed_lock
from slipway_runner.tracking import find_model

PYFUNC = 'flavors: {{python_function: {{loader_module: x}}}}\nmodel_uuid: {}\n'
OLD = '0/{}/artifacts/model/MLmodel'
NEW = '0/models/m-{}/artifacts/MLmodel'


def store(tmp_path, files):
    return str(write_tree(tmp_path / 'mlruns', files))


def test_a_model_of_mlflow_2_is_found_among_the_runs_artifacts(tmp_path):
    root = store(tmp_path, {OLD.format('r1'): PYFUNC.format('a')})
    assert find_model(root) == root + '/0/r1/artifacts/model'


def test_a_deeply_nested_model_of_mlflow_1_is_found(tmp_path):
    root = store(tmp_path, {'0/r1/artifacts/a/b/MLmodel': PYFUNC.format('a')})
    assert find_model(root) == root + '/0/r1/artifacts/a/b'


def test_a_model_of_mlflow_3_is_found_beside_the_runs(tmp_path):
    root = store(tmp_path, {NEW.format('1'): PYFUNC.format('m-1')})
    assert find_model(root) == root + '/0/models/m-1/artifacts'


def test_one_model_in_both_layouts_counts_once(tmp_path):
    root = store(tmp_path, {NEW.format('1'): PYFUNC.format('a'), OLD.format('r1'): PYFUNC.format('a')})
    assert find_model(root) == root + '/0/models/m-1/artifacts'


@pytest.mark.parametrize(
    'files, count',
    [
        ({}, 0),
        ({OLD.format('r1'): 'flavors: {sklearn: {}}'}, 0),
        ({OLD.format('r1'): PYFUNC.format('a'), OLD.format('r2'): PYFUNC.format('b')}, 2),
        ({NEW.format('1'): PYFUNC.format('a'), OLD.format('r1'): PYFUNC.format('b')}, 2),
        ({OLD.format('r1'): 'flavors: {python_function: {}}', OLD.format('r2'): 'flavors: {python_function: {}}'}, 2),
    ],
)
def test_another_number_of_models_is_66(tmp_path, files, count):
    with pytest.raises(RunnerFailure) as caught:
        find_model(store(tmp_path, files))
    assert str(caught.value).startswith('Expected to find exactly 1 model, found {}: log '.format(count))
    assert caught.value.exit_code == 66


@pytest.mark.parametrize('returncode, exit_code', [(1, 1), (2, 2), (65, 1), (67, 1), (-9, 137), (-15, 143), (137, 137)])
def test_exit_codes_of_programs(returncode, exit_code):
    assert user_code_failed(returncode).exit_code == exit_code


def test_hashes_of_the_resolved_lock_are_kept_for_installed_versions(tmp_path):
    version = next(line for line in installed_lock().splitlines() if line.startswith('pyyaml==')).split('==')[1]
    resolved = tmp_path / 'lock.txt'
    resolved.write_text(
        'PyYAML=={} \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\npandas==0.0.1 \\\n    --hash=sha256:cc\n'.format(version)
    )
    lock = installed_lock(str(resolved))
    assert 'pyyaml=={} \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n'.format(version) in lock
    assert 'sha256:cc' not in lock
