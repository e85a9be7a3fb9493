"""Decides the inputs and output names of a model from what its project gives."""
import os
import pickle

from . import columns

NOTHING_KNOWN = (
    'slipway: the inputs of the model are unknown: requests are not checked and their columns are not reordered. '
    'To change that, log the model with input_example=<first rows of the training data>, with a signature, '
    'or log these rows as head_input.pkl into the model folder'
)
NO_SAMPLE = (
    'slipway: the model has no sample: the self-check predicts nothing, the catalog shows no example and requests are '
    'not batched. To change that, log the model with input_example=<first rows of the training data>'
)


def known_inputs(model, folder, heads):
    """(Inputs, sample rows or None): the first of signature, input example, head_input.pkl, fitted names that says it.

    `heads` is the folder of the pickled first rows, or None. The log names what to add when something is unknown.
    """
    tables = [table for table in (_example(model, folder), _head(heads, 'head_input.pkl')) if _is_table(table)]
    inputs = columns.signature_inputs(model)
    if not inputs.columns:
        inputs = _from_project(tables, _fitted_names(model, folder))
    rows = next((rows for rows in (columns.table_rows(table, inputs) for table in tables) if rows is not None), None)
    if rows is None:
        print(NO_SAMPLE if inputs.columns else NOTHING_KNOWN, flush=True)
    return inputs, rows


def output_names(heads):
    """Names of the labels in head_output.pkl. Its values are labels of the training data, no predictions."""
    labels = _head(heads, 'head_output.pkl')
    if hasattr(labels, 'columns'):
        return [str(name) for name in labels.columns]
    name = getattr(labels, 'name', None)
    return [] if name is None else [str(name)]


def _from_project(tables, fitted):
    for table in tables:
        if hasattr(table, 'columns') and fitted:
            table = table.rename(columns=str)
            # The estimator knows its order; a head may hold further columns.
            table = table[fitted] if set(fitted) <= set(table.columns) else table
        inputs = columns.table_inputs(table)
        if inputs.columns:
            return inputs
    return columns.named_inputs(fitted)


def _example(model, folder):
    return model.load_input_example(folder) if model.saved_input_example_info is not None else None


def _is_table(value):
    # A sparse matrix has neither columns nor values to list.
    return getattr(value, 'ndim', None) == 2 and (hasattr(value, 'columns') or hasattr(value, 'tolist')) and len(value) > 0


def _head(folder, name):
    path = os.path.join(folder or '', name)
    if folder is None or not os.path.isfile(path):
        return None
    try:
        with open(path, 'rb') as stream:
            return pickle.load(stream)
    except Exception as error:
        print('slipway: {} is not used, it cannot be read: {}'.format(name, error), flush=True)
        return None


def _fitted_names(model, folder):
    """feature_names_in_ of a scikit-learn estimator, or an empty list."""
    if 'sklearn' not in model.flavors:
        return []
    import mlflow.sklearn

    try:
        names = getattr(mlflow.sklearn.load_model(folder), 'feature_names_in_', ())
    except Exception as error:
        print('slipway: the names of the fitted columns cannot be read: {}'.format(error), flush=True)
        return []
    return [str(name) for name in names]
