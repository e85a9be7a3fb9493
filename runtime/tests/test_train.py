import json
import pathlib
import signal
import time

import pytest
from job import RUNTIME, run_project, start_job, write_tree

INIT_PROJECT = pathlib.Path(RUNTIME).parent / 'cli' / 'init-project'

SHELL = 'entry_points: {{main: {{command: {}}}}}'


def shell(command):
    """A project whose program is one shell line."""
    return {'MLproject': SHELL.format(json.dumps(command).replace('{', '{{').replace('}', '}}'))}


def test_the_example_trains_to_one_artifact(wine_job):
    assert wine_job.code == 0, wine_job.stderr
    outcome = wine_job.outcome
    assert (outcome['phase'], outcome['reason'], outcome['userExitCode']) == ('done', None, 0)
    assert outcome['params'] == {'alpha': '0.05', 'l1_ratio': '0.1'}
    # A fixed seed: the numbers are part of the example's promise.
    assert outcome['metrics'] == pytest.approx(
        {'rmse': 0.5276520520554979, 'mae': 0.4309692350205578, 'r2': 0.5715582416841525}, rel=1e-9
    )
    names = {str(path.relative_to(wine_job.artifact)) for path in wine_job.artifact.rglob('*') if path.is_file()}
    assert names >= {
        'platform.model.yaml',
        'lock.txt',
        'provenance.json',
        'platform_model/entrypoint.py',
        'platform_model/MLmodel',
        'platform_model/samples/input.json',
        'platform_model/samples/output.json',
    }
    assert not [name for name in names if '__pycache__' in name]


def test_the_project_that_slipway_init_writes_trains_to_one_artifact(tmp_path):
    files = {path.name: path.read_text().replace('PROJECT_ID', 'diabetes') for path in INIT_PROJECT.iterdir()}
    ran = run_project(tmp_path, files, model={'name': 'diabetes', 'version': '1.0'}, hyperParameters={'alpha': '0.1'})
    assert ran.code == 0, ran.stderr
    assert (ran.outcome['phase'], ran.outcome['reason'], ran.outcome['params']) == ('done', None, {'alpha': '0.1'})
    assert 30 < ran.outcome['metrics']['mae'] < 60
    sample = json.loads((ran.artifact / 'platform_model' / 'samples' / 'input.json').read_text())
    assert sample['columns'][:2] == ['age', 'sex'] and len(sample['data']) == 2


def test_provenance_names_commit_data_parameters_and_metrics(wine_job):
    provenance = json.loads((wine_job.artifact / 'provenance.json').read_text())
    assert provenance['commit'] == '0123456789abcdef'
    assert provenance['dataDigests'] == {'data.csv': 'sha256:00'}
    assert provenance['params']['alpha'] == '0.05'
    assert provenance['metrics'] == wine_job.outcome['metrics']


def test_the_lock_pins_what_is_installed(wine_job):
    lock = (wine_job.artifact / 'lock.txt').read_text().splitlines()
    assert [line for line in lock if line.startswith('scikit-learn==')]
    assert not [line for line in lock if line.startswith(('pip==', 'uv==', 'setuptools=='))]


def test_the_program_sees_the_documented_variables_and_arguments(tmp_path):
    files = shell('env > "$SLIPWAY_OUTPUT_DIR/env.txt"; pwd > "$SLIPWAY_OUTPUT_DIR/pwd.txt"; false')
    files = {'sub/' + name: text for name, text in files.items()}
    ran = run_project(tmp_path, files, workDir='sub', envs=[{'name': 'MINE', 'value': 'x y'}])
    lines = (ran.output / 'env.txt').read_text().splitlines()
    assert 'MODEL_NAME=test' in lines and 'MODEL_VERSION=1' in lines and 'MINE=x y' in lines
    assert 'SLIPWAY_JOB=training/test/1' in lines
    assert 'MLFLOW_DISABLE_TELEMETRY=true' in lines and 'DO_NOT_TRACK=true' in lines
    assert 'MLFLOW_RUN_ID=' + ran.outcome['runId'] in lines
    assert not [line for line in lines if line.startswith('PYTHONPATH=')]
    assert (ran.output / 'pwd.txt').read_text().strip() == str(tmp_path / 'src' / 'sub')


def test_secrets_come_as_files_and_are_variables_of_the_program_alone(tmp_path):
    secrets = tmp_path / '.slipway' / 'secrets'
    secrets.mkdir(parents=True)
    (secrets / 'TOKEN').write_text('s3 cret\n')
    (secrets / 'LARGE').write_text('x' * 200000)
    files = shell('env > "$SLIPWAY_OUTPUT_DIR/env.txt"; cp "$TOKEN_FILE" "$SLIPWAY_OUTPUT_DIR/copy"; wc -c < "$LARGE_FILE"; false')
    ran = run_project(tmp_path, files, secrets=['TOKEN', 'LARGE'])
    text = (ran.output / 'env.txt').read_text()
    assert 'TOKEN=s3 cret\n\n' in text and 'TOKEN_FILE={}\n'.format(secrets / 'TOKEN') in text
    assert (ran.output / 'copy').read_text() == 's3 cret\n'
    assert '200000' in ran.stdout and '\nLARGE=' not in text
    assert 's3 cret' not in ran.stdout + ran.stderr + json.dumps(ran.outcome)


@pytest.mark.parametrize(
    'command, exit_code, user_exit_code',
    [
        ('exit 3', 3, 3),
        ('exit 64', 1, 64),
        ('exit 66', 1, 66),
        ('exit 124', 1, 124),
        ('kill -KILL $$', 137, 137),
    ],
)
def test_the_programs_own_failure_is_user_code_failed(tmp_path, command, exit_code, user_exit_code):
    ran = run_project(tmp_path, shell(command))
    assert (ran.code, ran.outcome['userExitCode']) == (exit_code, user_exit_code)
    assert (ran.outcome['phase'], ran.outcome['reason']) == ('user', 'UserCodeFailed')
    assert ran.outcome['message'] == 'the program ended with exit code {}'.format(user_exit_code)


def test_no_model_is_66(tmp_path):
    ran = run_project(tmp_path, shell('true'))
    assert (ran.code, ran.outcome['reason']) == (66, 'ModelCountWrong')
    assert ran.outcome['message'] == (
        'Expected to find exactly 1 model, found 0: log it in the program: '
        'with mlflow.start_run(): mlflow.sklearn.log_model(model, "model")'
    )
    assert ran.outcome['userExitCode'] == 0


def test_a_missing_project_is_64(tmp_path):
    ran = run_project(tmp_path, {'readme': ''})
    assert (ran.code, ran.outcome['phase'], ran.outcome['reason']) == (64, 'prepare', 'ProjectInvalid')


def test_a_missing_parameter_is_64_before_anything_runs(tmp_path):
    project = 'entry_points: {main: {parameters: {a: float, b: float}, command: "touch ran"}}'
    ran = run_project(tmp_path, {'MLproject': project})
    assert (ran.code, ran.outcome['message']) == (64, 'entry point "main" needs parameters without a default: a, b')
    assert not (tmp_path / 'src' / 'ran').exists()


@pytest.mark.parametrize('work_dir', ['..', '/etc', 'none'])
def test_a_work_dir_outside_the_repository_is_64(tmp_path, work_dir):
    ran = run_project(tmp_path, shell('true'), workDir=work_dir)
    assert (ran.code, ran.outcome['reason']) == (64, 'ProjectInvalid')


def test_sigterm_reaches_every_process_of_the_program(tmp_path):
    # The inner shell is a grandchild: it writes its own mark when the signal arrives.
    inner = "trap 'echo inner > inner.txt; exit 0' TERM; touch inner.ready; while :; do sleep 0.1; done"
    outer = "bash inner.sh & trap 'wait; echo outer > outer.txt; exit 9' TERM; touch outer.ready; wait"
    source = write_tree(tmp_path / 'src', dict(shell('bash outer.sh'), **{'inner.sh': inner, 'outer.sh': outer}))
    process = start_job(tmp_path)
    wait_for(source / 'inner.ready')
    wait_for(source / 'outer.ready')
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=180)
    outcome = json.loads((tmp_path / 'output' / '.slipway' / 'outcome.json').read_text())
    assert (source / 'inner.txt').read_text() == 'inner\n'
    assert (source / 'outer.txt').read_text() == 'outer\n'
    assert (process.returncode, outcome['userExitCode'], outcome['reason']) == (9, 9, 'UserCodeFailed')


def test_what_the_program_leaves_running_is_ended(tmp_path):
    ran = run_project(tmp_path, shell('sleep 300 & echo $! > child.pid; exit 2'))
    child = int((tmp_path / 'src' / 'child.pid').read_text())
    assert ran.code == 2
    deadline = time.monotonic() + 60
    while is_running(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_running(child)


def test_a_broken_job_description_is_64(tmp_path):
    process = start_job(tmp_path, model={})
    _, stderr = process.communicate(timeout=180)
    assert process.returncode == 64
    assert stderr.startswith('slipway: the job description cannot be used')


def wait_for(path, seconds=180):
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < deadline, '{} did not appear'.format(path)
        time.sleep(0.02)


def is_running(pid):
    try:
        with open('/proc/{}/stat'.format(pid)) as stream:
            return stream.read().rsplit(')', 1)[1].split()[0] not in 'ZX'
    except OSError:
        return False
