"""The model behind the server: entry point imported, initialised and described."""
import importlib
import json
import os
import sys


class Model(object):
    """inputs and outputs: the two lists of the entry point's info(); serializer: a JSON encoder class or None.

    typed: the types of the inputs were taken from the model and are checked; otherwise info() only describes.
    batched: the self-check found that rows are predicted together as each is alone.
    """

    def __init__(self, name, version, module, settings):
        self.name = name
        self.version = version
        self.predict = module.predict_on_matrix
        info = getattr(module, 'info', None)
        self.inputs, self.outputs = info() if info is not None else ([], [])
        self.typed = bool(settings.get('dtypes'))
        self.batched = bool(settings.get('batch'))
        serializer = getattr(module, 'get_output_json_serializer', None)
        self.serializer = serializer() if serializer is not None else None


def load_model(settings):
    """@raises whatever the entry point raises; RuntimeError when init does not return "matrix" """
    location = os.path.abspath(settings.location)
    name = settings.entrypoint[:-3] if settings.entrypoint.endswith('.py') else settings.entrypoint
    sys.path.insert(0, location)
    module = importlib.import_module(name)
    word = module.init()
    if word != 'matrix':
        raise RuntimeError('init returned {!r}, expected "matrix"'.format(word))
    return Model(settings.name, settings.version, module, _runner_settings(location))


def _runner_settings(location):
    """The slipway.json that the job runner writes beside its entry point; empty for an entry point of another origin."""
    path = os.path.join(location, 'slipway.json')
    if not os.path.isfile(path):
        return {}
    with open(path, encoding='utf-8') as stream:
        return json.load(stream)


def read_samples(location):
    """(sample request, recorded reply) texts of the model folder, or None when one of the two is missing."""
    paths = [os.path.join(location, 'samples', name) for name in ('input.json', 'output.json')]
    if not all(os.path.isfile(path) for path in paths):
        return None
    texts = []
    for path in paths:
        with open(path, encoding='utf-8') as stream:
            texts.append(stream.read())
    return tuple(texts)
