"""A model of the interchange format ONNX, and its tensors in the words of the Open Inference Protocol."""
import os

from .errors import bad_request
from .inference import parse_tensor

# Element type of onnxruntime: (datatype of the protocol, name of the numpy type).
DATATYPES = {
    'tensor(bool)': ('BOOL', 'bool'),
    'tensor(double)': ('FP64', 'float64'),
    'tensor(float)': ('FP32', 'float32'),
    'tensor(float16)': ('FP16', 'float16'),
    'tensor(int16)': ('INT16', 'int16'),
    'tensor(int32)': ('INT32', 'int32'),
    'tensor(int64)': ('INT64', 'int64'),
    'tensor(int8)': ('INT8', 'int8'),
    'tensor(string)': ('BYTES', 'object'),
    'tensor(uint16)': ('UINT16', 'uint16'),
    'tensor(uint32)': ('UINT32', 'uint32'),
    'tensor(uint64)': ('UINT64', 'uint64'),
    'tensor(uint8)': ('UINT8', 'uint8'),
}


class OnnxModel(object):
    """@raises ValueError for a model with values that are no tensors; whatever onnxruntime raises"""

    serializer = None
    # Those of the invoke protocol, which has columns instead of tensors.
    inputs = ()
    outputs = ()
    typed = False
    batched = False

    def __init__(self, name, version, path):
        import onnxruntime

        self.name = name
        self.version = version
        options = onnxruntime.SessionOptions()
        # Requests share the cores: more threads for each would only take turns.
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(path, options, providers=['CPUExecutionProvider'])
        self._tensors_in = [_described(each) for each in self._session.get_inputs()]
        self._tensors_out = [_described(each) for each in self._session.get_outputs()]

    def metadata(self):
        return {
            'name': self.name,
            'versions': [self.version],
            'platform': 'onnxruntime_onnx',
            'inputs': self._tensors_in,
            'outputs': self._tensors_out,
        }

    def predict(self, feeds, names):
        return self._session.run(names, feeds)

    def parse(self, document):
        """(arrays by input name, names of the wanted outputs) of an inference request. @raises HttpError 400"""
        tensors = document.get('inputs')
        if not isinstance(tensors, list):
            raise bad_request('inputs must be an array of tensors')
        known = {tensor['name']: tensor for tensor in self._tensors_in}
        feeds = {}
        for tensor in tensors:
            name, values = parse_tensor(tensor)
            if name not in known:
                raise bad_request('the model has no input "{}", but {}'.format(name, _names(self._tensors_in)))
            if name in feeds:
                raise bad_request('input "{}" is given twice'.format(name))
            feeds[name] = _array(known[name], tensor, values)
        missing = [tensor['name'] for tensor in self._tensors_in if tensor['name'] not in feeds]
        if missing:
            raise bad_request('input "{}" is missing'.format(missing[0]))
        return feeds, self._wanted(document.get('outputs'))

    def _wanted(self, outputs):
        known = [tensor['name'] for tensor in self._tensors_out]
        if outputs is None or outputs == []:
            return known
        if not isinstance(outputs, list) or not all(isinstance(each, dict) for each in outputs):
            raise bad_request('outputs must be an array of objects with a name')
        names = [each.get('name') for each in outputs]
        unknown = [name for name in names if name not in known]
        if unknown:
            raise bad_request('the model has no output "{}", but {}'.format(unknown[0], _names(self._tensors_out)))
        return names

    def reply(self, document, names, arrays):
        datatypes = {tensor['name']: tensor['datatype'] for tensor in self._tensors_out}
        reply = {'model_name': self.name, 'model_version': self.version}
        if 'id' in document:
            reply['id'] = document['id']
        reply['outputs'] = [
            {'name': name, 'shape': list(array.shape), 'datatype': datatypes[name], 'data': array.ravel().tolist()}
            for name, array in zip(names, arrays)
        ]
        return reply


def load_onnx(settings):
    """The model in its place in the repository: model.onnx is a file, or a folder with that file."""
    path = os.path.join(settings.repository, settings.name, settings.version, 'model.onnx')
    path = os.path.join(path, 'model.onnx') if os.path.isdir(path) else path
    return OnnxModel(settings.name, settings.version, path)


def _described(value):
    if value.type not in DATATYPES:
        raise ValueError('"{}" has type {}, which is no tensor: export the model without it'.format(value.name, value.type))
    shape = [size if isinstance(size, int) else -1 for size in value.shape]
    return {'name': value.name, 'datatype': DATATYPES[value.type][0], 'shape': shape}


def _array(known, tensor, values):
    import numpy

    name, shape, wanted = known['name'], tensor['shape'], known['shape']
    if tensor['datatype'] != known['datatype']:
        raise bad_request('input "{}" has datatype {}, expected {}'.format(name, tensor['datatype'], known['datatype']))
    if len(shape) != len(wanted) or any(size not in (-1, given) for size, given in zip(wanted, shape)):
        raise bad_request('input "{}" has shape {}, expected {}'.format(name, shape, wanted))
    kind = next(numpy_type for datatype, numpy_type in DATATYPES.values() if datatype == known['datatype'])
    if any(value is None for value in values):
        raise bad_request('input "{}" holds null'.format(name))
    try:
        return numpy.array(values, dtype=kind).reshape(shape)
    except (OverflowError, ValueError) as error:
        raise bad_request('input "{}" holds a value that is not {}: {}'.format(name, known['datatype'], error))


def _names(tensors):
    return ', '.join('"{}"'.format(tensor['name']) for tensor in tensors)
