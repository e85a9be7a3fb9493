"""The job's own MLflow tracking store: the run made beforehand, the models it holds, parameters and metrics."""
import glob
import os

from .failures import RunnerFailure
from .mlproject import read_yaml

# MLflow 1 and 2 keep models among a run's artifacts, MLflow 3 beside the runs.
LAYOUTS = ('*/models/m-*/artifacts/MLmodel', '*/*/artifacts/**/MLmodel')


def tracking_environment(workspace):
    return {
        'MLFLOW_TRACKING_URI': 'file://' + os.path.join(workspace, 'mlruns'),
        'MLFLOW_ALLOW_FILE_STORE': 'true',
        'MLFLOW_DISABLE_TELEMETRY': 'true',
        'DO_NOT_TRACK': 'true',
    }


def start_run(uri, experiment_name):
    """Makes experiment and run, so that mlflow.start_run() in the program joins them. @returns (run, experiment) ids"""
    client = _client(uri)
    found = client.get_experiment_by_name(experiment_name)
    experiment_id = found.experiment_id if found is not None else client.create_experiment(experiment_name)
    return client.create_run(experiment_id).info.run_id, experiment_id


def end_run(uri, run_id, succeeded):
    _client(uri).set_terminated(run_id, 'FINISHED' if succeeded else 'FAILED')


def params_and_metrics(uri, run_id):
    data = _client(uri).get_run(run_id).data
    return dict(data.params), dict(data.metrics)


def find_model(store):
    """Folder of the one pyfunc model in the store. @raises ModelCountWrong with the number found"""
    by_uuid = {}
    for layout in LAYOUTS:
        for path in sorted(glob.glob(os.path.join(glob.escape(store), layout), recursive=True)):
            document = read_yaml(path, 'MLmodel')
            if 'python_function' in (document.get('flavors') or {}):
                by_uuid.setdefault(document.get('model_uuid') or path, os.path.dirname(path))
    if len(by_uuid) != 1:
        raise RunnerFailure('ModelCountWrong', 'Expected to find exactly 1 model, found {}'.format(len(by_uuid)))
    return next(iter(by_uuid.values()))


def find_heads(store, model):
    """Folder of head_input.pkl or head_output.pkl: the model's own, or one among the artifacts of a run; else None."""
    logged = glob.glob(os.path.join(glob.escape(store), '*/*/artifacts/**/head_*put.pkl'), recursive=True)
    folders = [model] + [os.path.dirname(path) for path in sorted(logged)]
    return next((folder for folder in folders if glob.glob(os.path.join(glob.escape(folder), 'head_*put.pkl'))), None)


def _client(uri):
    from mlflow.tracking import MlflowClient

    return MlflowClient(tracking_uri=uri)
