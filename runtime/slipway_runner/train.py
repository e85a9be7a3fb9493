"""Runs one training job: project, user's program, the one model, the artifact; and always an outcome."""
import json
import math
import os
import signal
import sys
import traceback

from . import artifact, tracking
from .failures import RunnerFailure, out_of_memory, project_invalid, user_code_failed
from .memory import oom_kills
from .mlproject import read_project
from .process import run_forwarding


# Bytes; Linux refuses a variable of 128 KiB, with its name.
LONGEST_VARIABLE = 100000


def run(job_file):
    """Runs the job and writes the outcome. @returns the exit code of the table"""
    job = _read_job(job_file)
    outcome = {
        'phase': 'prepare',
        'reason': None,
        'message': None,
        'userExitCode': None,
        'runId': None,
        'params': {},
        'metrics': {},
    }
    outcome_file = os.path.join(job['outputDir'], '.slipway', 'outcome.json')
    signal.signal(signal.SIGTERM, _terminated)
    try:
        _steps(job, outcome)
        return 0
    except RunnerFailure as failure:
        outcome.update(reason=failure.reason, message=str(failure))
        if failure.user_exit_code is not None:
            outcome['userExitCode'] = failure.user_exit_code
        print('slipway: {}'.format(failure), file=sys.stderr, flush=True)
        return failure.exit_code
    except SystemExit as ended:
        outcome['message'] = 'terminated by a signal'
        return ended.code
    except Exception as error:
        # Ours, not the user's: no reason of the table fits, so none is claimed.
        traceback.print_exc()
        outcome['message'] = '{}: {}'.format(type(error).__name__, error)
        return 1
    finally:
        artifact.write_json(outcome_file, outcome)


def _steps(job, outcome):
    workspace = os.path.dirname(os.path.abspath(job['outputDir']))
    work_dir = _work_dir(job)
    command = read_project(work_dir).command(job['entrypoint'], job.get('hyperParameters', {}), job.get('args', []))
    os.makedirs(job['outputDir'], exist_ok=True)

    settings = tracking.tracking_environment(workspace)
    os.environ.update(settings)
    uri = settings['MLFLOW_TRACKING_URI']
    run_id, experiment_id = tracking.start_run(uri, job['model']['name'])
    outcome.update(phase='user', runId=run_id)
    environment = _environment(job, dict(settings, MLFLOW_RUN_ID=run_id, MLFLOW_EXPERIMENT_ID=experiment_id))
    _step('train')
    kills = oom_kills()
    returncode = run_forwarding(command, work_dir, environment)
    outcome['userExitCode'] = 128 - returncode if returncode < 0 else returncode
    tracking.end_run(uri, run_id, returncode == 0)
    outcome['params'], outcome['metrics'] = _recorded(uri, run_id)
    if returncode != 0:
        raise out_of_memory(returncode) if oom_kills() > kills else user_code_failed(returncode)

    outcome['phase'] = 'collect'
    _step('collect')
    store = os.path.join(workspace, 'mlruns')
    model = tracking.find_model(store)
    heads = tracking.find_heads(store, model)
    target = os.path.join(job['outputDir'], 'artifact')
    artifact.write_artifact(target, model, heads, job, run_id, outcome['params'], outcome['metrics'])
    outcome['phase'] = 'done'


def _read_job(path):
    try:
        with open(path, encoding='utf-8') as stream:
            job = json.load(stream)
        for key in ('model', 'entrypoint', 'sourceDir', 'outputDir'):
            job[key]
        job['model']['name'], job['model']['version']
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise project_invalid('the job description cannot be used: {}: {}'.format(type(error).__name__, error))
    return job


def _work_dir(job):
    source = os.path.realpath(job['sourceDir'])
    path = os.path.realpath(os.path.join(source, job.get('workDir') or '.'))
    if path != source and not path.startswith(source + os.sep):
        raise project_invalid('workDir "{}" lies outside the repository'.format(job['workDir']))
    if not os.path.isdir(path):
        raise project_invalid('workDir "{}" is not a folder of the repository'.format(job['workDir']))
    return path


def _environment(job, tracking_settings):
    """The program's environment: what the container has, the job's own variables, then ours."""
    environment = dict(os.environ)
    for variable in job.get('envs', []):
        environment[variable['name']] = str(variable['value'])
    environment.update(_secrets(job))
    environment.update(
        tracking_settings,
        SLIPWAY_JOB='{}/{}/{}'.format(job.get('kind'), job.get('id'), job.get('generation')),
        SLIPWAY_OUTPUT_DIR=job['outputDir'],
        MODEL_NAME=job['model']['name'],
        MODEL_VERSION=job['model']['version'],
        PYTHONUNBUFFERED='1',
        LANG='C.UTF-8',
        TZ='UTC',
    )
    # Where this package lies is ours to know: it must not shadow a module of the program.
    environment.pop('PYTHONPATH', None)
    return environment


def _secrets(job):
    """Variables whose values came as files: NAME holds the value, NAME_FILE its path."""
    folder = os.path.join(os.path.dirname(os.path.abspath(job['outputDir'])), '.slipway', 'secrets')
    variables = {}
    for name in job.get('secrets', []):
        path = os.path.join(folder, name)
        variables[name + '_FILE'] = path
        with open(path, encoding='utf-8', newline='') as stream:
            value = stream.read()
        # A longer one is no variable that Linux takes: the program reads the file.
        if len(value.encode('utf-8')) <= LONGEST_VARIABLE:
            variables[name] = value
    return variables


def _recorded(uri, run_id):
    params, metrics = tracking.params_and_metrics(uri, run_id)
    # JSON has no NaN: a metric that is not a number is recorded as unknown.
    return params, {name: value if math.isfinite(value) else None for name, value in metrics.items()}


def _step(name):
    print('=== {}'.format(name), flush=True)


def _terminated(signum, _frame):
    raise SystemExit(128 + signum)
