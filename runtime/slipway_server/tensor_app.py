"""The WSGI callable of a model of tensors: the Open Inference Protocol v2, and nothing else."""
from . import inference
from .app import ModelServer, json_reply
from .body import parse_object, require_json
from .errors import ModelError


class TensorServer(ModelServer):
    def _make_routes(self):
        routes = {
            '/metrics': {'GET': self._metrics},
            '/v2': {'GET': self._v2_server},
            '/v2/health/live': {'GET': lambda environ: json_reply({'live': True})},
            '/v2/health/ready': {'GET': self._ready},
        }
        base = '/v2/models/' + self._model.name
        for path in (base, '{}/versions/{}'.format(base, self._model.version)):
            routes[path] = {'GET': lambda environ: json_reply(self._model.metadata())}
            routes[path + '/ready'] = {'GET': self._ready}
            routes[path + '/infer'] = {'POST': self._infer}
        return routes

    def _infer(self, environ):
        body = self._read(environ)
        inference.refuse_binary(environ)
        require_json(environ)
        document = parse_object(body)
        feeds, names = self._model.parse(document)
        arrays = self._pool.call(feeds, names)
        try:
            return self._reply(self._model.reply(document, names, arrays))
        except Exception as error:
            raise ModelError(error) from error
