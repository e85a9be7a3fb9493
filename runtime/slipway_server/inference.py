"""Open Inference Protocol: one [rows, columns] tensor named predict, or one tensor per column."""
from .errors import bad_request, shown

INTEGERS = ('INT8', 'INT16', 'INT32', 'INT64', 'UINT8', 'UINT16', 'UINT32', 'UINT64')
DATATYPES = ('BOOL', 'BYTES', 'FP16', 'FP32', 'FP64') + INTEGERS
TYPE_TO_DATATYPE = {'number': 'FP64', 'integer': 'INT64', 'string': 'BYTES', 'boolean': 'BOOL'}
TENSOR = 'predict'


def parse_infer(document):
    """(names or None, rows) of an inference request. @raises HttpError 400"""
    tensors = document.get('inputs')
    if not isinstance(tensors, list) or not tensors:
        raise bad_request('Matrix is not provided')
    parsed = [_tensor(tensor) for tensor in tensors]
    if _is_matrix(tensors):
        rows, width = tensors[0]['shape']
        values = parsed[0][1]
        return None, [values[at * width : (at + 1) * width] for at in range(rows)]
    lengths = {len(values) for _, values in parsed}
    if len(lengths) > 1:
        raise bad_request('the tensors have different numbers of rows')
    for tensor in tensors:
        if len(tensor['shape']) > 2 or tensor['shape'][1:] not in ([], [1]):
            raise bad_request('tensor "{}" must have the shape [rows] or [rows, 1]'.format(tensor['name']))
    return [name for name, _ in parsed], [list(row) for row in zip(*(values for _, values in parsed))]


def refuse_binary(environ):
    """The binary data extension of the protocol is not offered. @raises HttpError 400"""
    if 'HTTP_INFERENCE_HEADER_CONTENT_LENGTH' in environ:
        raise bad_request('binary tensor data is not supported: send the tensors as JSON, binary_data=False in tritonclient')


def infer_reply(model, document, prediction, columns):
    """The reply in the form of the question: one tensor for one, a tensor per output column for a tensor per column."""
    reply = {'model_name': model.name, 'model_version': model.version}
    if 'id' in document:
        reply['id'] = document['id']
    table = [row if isinstance(row, (list, tuple)) else [row] for row in prediction]
    flat = not prediction or not isinstance(prediction[0], (list, tuple))
    width = len(table[0]) if table else 0
    if _is_matrix(document['inputs']) or len(columns) != width:
        shape = [len(table)] if flat else [len(table), width]
        reply['outputs'] = [_output(TENSOR, shape, [value for row in table for value in row])]
    else:
        reply['outputs'] = [
            _output(name, [len(table)], [row[index] for row in table]) for index, name in enumerate(columns)
        ]
    return reply


def metadata(model):
    return {
        'name': model.name,
        'versions': [model.version],
        'platform': 'slipway_python',
        'inputs': [_described(column) for column in model.inputs],
        'outputs': [_described(column) for column in model.outputs],
    }


def _is_matrix(tensors):
    return len(tensors) == 1 and tensors[0]['name'] == TENSOR and len(tensors[0]['shape']) == 2


def _tensor(tensor):
    """(name, flat values), with shape, datatype and data checked."""
    if not isinstance(tensor, dict) or not isinstance(tensor.get('name'), str):
        raise bad_request('every input needs a name')
    name, shape, datatype = tensor['name'], tensor.get('shape'), tensor.get('datatype')
    if not isinstance(shape, list) or not shape or not all(type(size) is int and size > 0 for size in shape):
        raise bad_request('tensor "{}" needs a shape of positive integers'.format(name))
    if datatype not in DATATYPES:
        raise bad_request('tensor "{}" has an unknown datatype {}'.format(name, shown(datatype)))
    values = []
    _flatten(name, tensor.get('data'), values)
    count = 1
    for size in shape:
        count *= size
    if len(values) != count:
        raise bad_request('tensor "{}" has {} values, its shape needs {}'.format(name, len(values), count))
    for value in values:
        if not _fits(value, datatype):
            raise bad_request('tensor "{}" holds a value that is not {}'.format(name, datatype))
    return name, values


def _flatten(name, data, values, depth=0):
    if not isinstance(data, list) or depth > 8:
        raise bad_request('tensor "{}" needs data, an array'.format(name))
    for item in data:
        if isinstance(item, list):
            _flatten(name, item, values, depth + 1)
        else:
            values.append(item)


def _fits(value, datatype):
    if value is None:
        return True
    if datatype == 'BYTES':
        return type(value) is str
    if datatype == 'BOOL':
        return type(value) is bool
    if datatype in INTEGERS:
        return type(value) is int
    return type(value) in (int, float)


def _output(name, shape, values):
    return {'name': name, 'shape': shape, 'datatype': _datatype(values), 'data': values}


def _datatype(values):
    kinds = {type(value) for value in values if value is not None}
    if kinds and kinds <= {bool}:
        return 'BOOL'
    if kinds and kinds <= {int}:
        return 'INT64'
    return 'FP64' if kinds <= {int, float} else 'BYTES'


def _described(column):
    return {
        'name': column['name'],
        'datatype': TYPE_TO_DATATYPE.get(column.get('type'), 'FP64'),
        'shape': [-1],
    }
