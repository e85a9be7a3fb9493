"""Entry point of the model in this folder: init, predict_on_matrix and info.

Two ways lead to the model. Native hands an array straight to the scikit-learn estimator; pyfunc is MLflow's general
loader. slipway.json says which one serves: native is chosen only when both gave the same result for the sample.
"""
import json
import os
import sys
import threading

_HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(_HERE, 'slipway.json'), encoding='utf-8') as _stream:
    _SETTINGS = json.load(_stream)

_COLUMNS = [column['name'] for column in _SETTINGS['inputs']]
_OUTPUTS = tuple(column['name'] for column in _SETTINGS['outputs'])
_DTYPES = _SETTINGS['dtypes']
_TEXT = ('string', 'object')
_predict = None


def init():
    """Loads the model once; the word tells the server to call predict_on_matrix."""
    global _predict
    if _predict is None:
        _predict = load_native() if _SETTINGS['path'] == 'native' else load_pyfunc()
    return 'matrix'


def predict_on_matrix(input_matrix, provided_columns_names=None):
    """Rows in, (matrix, output columns) out. Columns given in another order are brought into the model's."""
    names = list(provided_columns_names or _COLUMNS)
    if _COLUMNS and names != _COLUMNS:
        input_matrix = _reordered(input_matrix, names)
        names = _COLUMNS
    result = _predict(input_matrix, names)
    return result, _output_names(result)


def info():
    """Descriptions of the input and output columns, as far as they are known. `example` is None without a sample."""
    return _SETTINGS['inputs'], _SETTINGS['outputs']


def load_native():
    """The estimator itself behind f(rows, names), or None when the model cannot be served that way."""
    native = _SETTINGS['native']
    if native is None:
        return None
    import numpy
    import sklearn

    if native['code']:
        sys.path.insert(0, os.path.join(_HERE, native['code']))
    estimator = _estimator(native)
    fitted_names = getattr(estimator, 'feature_names_in_', None)
    if fitted_names is not None and list(fitted_names) != _COLUMNS:
        return None
    _forget_names(estimator)
    method = getattr(estimator, native['predictFn'])
    dtype = native['dtype']
    thread = threading.local()

    def predict(rows, _names):
        matrix = numpy.array(rows, dtype=dtype)
        # The estimator need not look for NaN again, and must when there is one. Its setting is one per thread.
        finite = bool(numpy.isfinite(matrix).all())
        if getattr(thread, 'finite', None) is not finite:
            sklearn.set_config(assume_finite=finite)
            thread.finite = finite
        return method(matrix)

    return predict


def load_pyfunc():
    """MLflow's loader behind f(rows, names)."""
    os.environ.setdefault('MLFLOW_DISABLE_TELEMETRY', 'true')
    os.environ.setdefault('DO_NOT_TRACK', 'true')
    import mlflow.pyfunc

    model = mlflow.pyfunc.load_model(_HERE)

    def predict(rows, names):
        return model.predict(_array(rows) if _SETTINGS['form'] == 'array' else _frame(rows, names))

    return predict


def _estimator(native):
    path = os.path.join(_HERE, native['file'])
    if native['format'] == 'skops':
        import skops.io

        return skops.io.load(path, trusted=native['trusted'])
    if native['format'] == 'cloudpickle':
        import cloudpickle as loader
    else:
        import pickle as loader
    with open(path, 'rb') as stream:
        return loader.load(stream)


def _forget_names(estimator):
    # Rows come as arrays in the fitted order, so the names would only cause a warning at each call.
    import warnings

    warnings.filterwarnings('ignore', message='X does not have valid feature names')
    parts = [estimator] + [step for _, step in getattr(estimator, 'steps', ())]
    for part in parts:
        getattr(part, '__dict__', {}).pop('feature_names_in_', None)


def _array(rows):
    import numpy

    return numpy.array(rows, dtype=_DTYPES[0] if _DTYPES and _DTYPES[0] not in _TEXT else None)


def _frame(rows, names):
    import pandas

    frame = pandas.DataFrame(rows, columns=names or None)
    for name, dtype in zip(_COLUMNS, _DTYPES):
        if dtype == 'datetime':
            frame[name] = pandas.to_datetime(frame[name])
        elif dtype not in _TEXT and not frame[name].isna().any():
            frame[name] = frame[name].astype(dtype)
        elif dtype in ('float32', 'float64'):
            frame[name] = frame[name].astype(dtype)
    return frame


def _reordered(rows, names):
    position = {name: index for index, name in enumerate(names)}
    missing = [name for name in _COLUMNS if name not in position]
    if missing:
        raise ValueError('missing columns: {}'.format(', '.join(missing)))
    order = [position[name] for name in _COLUMNS]
    return [[row[index] for index in order] for row in rows]


def _output_names(result):
    if hasattr(result, 'columns'):
        return tuple(str(name) for name in result.columns)
    shape = getattr(result, 'shape', None)
    if shape is None:
        first = result[0] if len(result) else None
        width = len(first) if isinstance(first, (list, tuple)) else 1
    else:
        width = shape[1] if len(shape) > 1 else 1
    if len(_OUTPUTS) == width:
        return _OUTPUTS
    return ('prediction',) if width == 1 else tuple('prediction_{}'.format(index) for index in range(width))
