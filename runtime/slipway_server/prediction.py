"""A model's result as lists and as JSON."""
import json
import math


class Unusable(Exception):
    """The result has no form that can be sent."""


class Encoder(json.JSONEncoder):
    def default(self, o):
        """numpy scalars and arrays, dates; anything else is refused."""
        if hasattr(o, 'tolist'):
            return o.tolist()
        if hasattr(o, 'isoformat'):
            return o.isoformat()
        if isinstance(o, bytes):
            return o.decode('utf-8')
        return json.JSONEncoder.default(self, o)


def to_lists(matrix):
    """Rows of an ndarray, Series, DataFrame, sparse matrix or list; each a value or a list of values."""
    if hasattr(matrix, 'toarray'):
        matrix = matrix.toarray()
    if hasattr(matrix, 'to_numpy'):
        matrix = matrix.to_numpy()
    elif hasattr(matrix, 'values') and not callable(matrix.values):  # pandas before 0.24
        matrix = matrix.values
    dimensions = getattr(matrix, 'ndim', None)
    if dimensions is not None:
        if dimensions not in (1, 2):
            raise Unusable('the result has {} dimensions, expected 1 or 2'.format(dimensions))
        return matrix.tolist()
    if not isinstance(matrix, (list, tuple)):
        raise Unusable('the result is a {}, expected rows'.format(type(matrix).__name__))
    rows = [row.tolist() if hasattr(row, 'tolist') else row for row in matrix]
    for row in rows:
        if isinstance(row, (list, tuple)) and any(isinstance(value, (list, tuple, dict)) for value in row):
            raise Unusable('the result has more than 2 dimensions')
        if isinstance(row, dict):
            raise Unusable('the result holds objects, expected rows')
    return rows


def create_encode(serializer=None):
    """A function from document to JSON bytes; NaN and infinities become null."""
    encoder = (serializer or Encoder)(allow_nan=False, separators=(',', ':'))

    def encode(document):
        try:
            return encoder.encode(document).encode('utf-8')
        except ValueError:
            return encoder.encode(without_nan(document)).encode('utf-8')

    return encode


def without_nan(value):
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_nan(item) for item in value]
    if hasattr(value, 'tolist'):
        return without_nan(value.tolist())
    return value
