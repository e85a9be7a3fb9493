"""The WSGI callable: routes, headers, and one place where failures become replies."""
import json
import sys
import threading
import time
import traceback
import uuid
from http.client import responses
from urllib.parse import parse_qs, quote

from . import __version__, inference, metrics
from .board import DRAINING, HUNG, IN_FLIGHT
from .body import parse_object, read_body, require_json
from .errors import HttpError, ModelError, bad_request, unavailable
from .matrix import Inputs
from .openapi import INFO_PATH, INVOKE_PATH, Documents
from .prediction import create_encode, to_lists
from .scoring import parse_invocations

JSON = 'application/json'
STATUS_LINES = {code: '{} {}'.format(code, text) for code, text in responses.items()}
ERROR_CODES = {
    400: 'BAD_REQUEST',
    404: 'ENDPOINT_NOT_FOUND',
    413: 'BAD_REQUEST',
    415: 'BAD_REQUEST',
    503: 'TEMPORARILY_UNAVAILABLE',
    504: 'DEADLINE_EXCEEDED',
}


class ModelServer(object):
    def __init__(self, model, pool, board, slot, settings, samples):
        self._model = model
        self._inputs = Inputs(model.inputs, model.typed)
        self._pool = pool
        self._board = board
        self._slot = slot
        self._max_body = settings.max_body_bytes
        self._encode = create_encode(model.serializer)
        self._documents = Documents(model, samples)
        self._lock = threading.Lock()
        # Names may hold any character, headers may not.
        self._identity = [('model-name', _header(model.name)), ('model-version', _header(model.version))]
        self._routes = self._make_routes()

    def _make_routes(self):
        routes = {
            INFO_PATH: {'GET': self._info},
            INVOKE_PATH: {'POST': self._invoke},
            '/healthz/live': {'GET': self._live},
            '/healthz/ready': {'GET': self._ready},
            '/healthcheck': {'GET': self._live},
            '/ping': {'GET': self._ready},
            '/version': {'GET': self._version},
            '/metrics': {'GET': self._metrics},
            '/invocations': {'POST': self._invocations},
            '/v2': {'GET': self._v2_server},
            '/v2/health/live': {'GET': lambda environ: _json({'live': True})},
            '/v2/health/ready': {'GET': self._ready},
        }
        # WSGI gives paths as latin-1 text of their bytes.
        base = '/v2/models/' + self._model.name.encode('utf-8').decode('latin-1')
        version = self._model.version.encode('utf-8').decode('latin-1')
        for path in (base, '{}/versions/{}'.format(base, version)):
            routes[path] = {'GET': lambda environ: _json(inference.metadata(self._model))}
            routes[path + '/ready'] = {'GET': self._ready}
            routes[path + '/infer'] = {'POST': self._infer}
        return routes

    def __call__(self, environ, start_response):
        started = time.monotonic()
        cells, slot = self._board.cells, self._slot
        with self._lock:
            cells[slot + IN_FLIGHT] += 1
        status = 500
        try:
            request_id = environ.get('HTTP_REQUEST_ID') or str(uuid.uuid4())
            try:
                status, headers, body = self._route(environ)
            except Exception as error:
                status, headers, body = self._failure(environ, error, request_id)
            start_response(
                STATUS_LINES[status],
                headers + self._identity + [('content-length', str(len(body))), ('request-id', request_id)],
            )
            return [body]
        finally:
            with self._lock:
                cells[slot + IN_FLIGHT] -= 1
                metrics.count(self._board, slot, status, time.monotonic() - started)

    def _route(self, environ):
        path = environ['PATH_INFO']
        methods = self._routes.get(path) or self._routes.get(path.rstrip('/'))
        if methods is None:
            raise HttpError(404, 'No such path')
        method = environ['REQUEST_METHOD']
        handler = methods.get('GET' if method == 'HEAD' else method)
        if handler is None:
            allowed = 'GET, HEAD' if 'GET' in methods else 'POST'
            raise HttpError(405, 'Method {} is not allowed here'.format(method[:40]), [('allow', allowed)])
        return handler(environ)

    def _invoke(self, environ):
        body = self._read(environ)
        require_json(environ)
        document = parse_object(body)
        prediction, columns = self._predict(document.get('columns'), document.get('data'))
        return self._reply({'prediction': prediction, 'columns': columns})

    def _infer(self, environ):
        body = self._read(environ)
        inference.refuse_binary(environ)
        require_json(environ)
        document = parse_object(body)
        prediction, columns = self._predict(*inference.parse_infer(document))
        return self._reply(inference.infer_reply(self._model, document, prediction, columns))

    def _invocations(self, environ):
        body = self._read(environ)
        prediction, _ = self._predict(*parse_invocations(environ, body, self._inputs))
        return self._reply({'predictions': prediction})

    def _read(self, environ):
        if self._board.is_set(DRAINING):
            raise unavailable('The server is shutting down')
        return read_body(environ, self._max_body)

    def _predict(self, columns, data):
        names, rows = self._inputs.arrange(columns, data)
        result = self._pool.call(rows, names)
        try:
            matrix, outputs = result
            return to_lists(matrix), [str(name) for name in outputs] if outputs is not None else []
        except Exception as error:
            raise ModelError(error) from error

    def _reply(self, document):
        try:
            return 200, [('content-type', JSON)], self._encode(document)
        except Exception as error:
            raise ModelError(error) from error

    def _info(self, environ):
        form = parse_qs(environ.get('QUERY_STRING', '')).get('format', ['openapi'])[0]
        if form not in ('openapi', 'swagger2'):
            raise bad_request('format must be openapi or swagger2')
        prefix = environ.get('HTTP_X_FORWARDED_PREFIX', '').rstrip('/')
        document = self._documents.swagger(prefix) if form == 'swagger2' else self._documents.openapi(prefix)
        return 200, [('content-type', JSON)], document

    def _live(self, environ):
        return _json({'status': True})

    def _ready(self, environ):
        if self._board.is_set(DRAINING) or self._pool.retiring or self._board.cells[self._slot + HUNG]:
            return _json({'status': False, 'ready': False, 'message': 'not ready'}, 503)
        return _json({'status': True, 'ready': True})

    def _version(self, environ):
        return 200, [('content-type', 'text/plain; charset=utf-8')], __version__.encode('ascii')

    def _metrics(self, environ):
        return 200, [('content-type', 'text/plain; version=0.0.4; charset=utf-8')], metrics.render(self._board)

    def _v2_server(self, environ):
        return _json({'name': 'slipway', 'version': __version__, 'extensions': []})

    def _failure(self, environ, error, request_id):
        if not isinstance(error, HttpError):
            # Ours: the model's own failures arrive as ModelError.
            error = HttpError(500, 'Internal error')
        if error.status == 500:
            print('slipway: request {} failed'.format(request_id), file=sys.stderr)
            traceback.print_exc()
        document = {'message': error.message}
        path = environ['PATH_INFO']
        if path.startswith('/v2'):
            document['error'] = error.message
        elif path == '/invocations':
            document['error_code'] = ERROR_CODES.get(error.status, 'INTERNAL_ERROR')
        return error.status, [('content-type', JSON)] + error.headers, json.dumps(document).encode('ascii')


def _header(text):
    return quote(text, safe=" !#$&'()*+,/:;=?@[]~")


def _json(document, status=200):
    return status, [('content-type', JSON)], json.dumps(document).encode('ascii')
