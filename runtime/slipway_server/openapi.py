"""The description of the model service: OpenAPI 3.0.3, and Swagger 2.0 for older catalog clients."""
import json

INFO_PATH = '/api/model/info'
INVOKE_PATH = '/api/model/invoke'
ERRORS = (
    ('400', 'The request does not fit the model'),
    ('413', 'The body is too large'),
    ('415', 'The body is not JSON'),
    ('500', 'The model failed'),
    ('503', 'No capacity at the moment'),
    ('504', 'The prediction took too long'),
)


class Documents(object):
    """Both forms, encoded once; only the address in front of them depends on the request."""

    def __init__(self, model, samples):
        request, reply = (json.loads(text) for text in samples) if samples else (None, None)
        parts = (model, request, reply)
        self._openapi = _split(_openapi(*parts))
        self._swagger = _split(_swagger(*parts))

    def openapi(self, prefix):
        return _joined(self._openapi, json.dumps([{'url': prefix or '/'}]))

    def swagger(self, prefix):
        return _joined(self._swagger, json.dumps(prefix or '/'))


PLACE = '"@address@"'


def _split(document):
    return json.dumps(document).split(PLACE)


def _joined(parts, text):
    return text.join(parts).encode('utf-8')


def _openapi(model, request, reply):
    error = _json_content({'$ref': '#/components/schemas/Error'})
    responses = {code: {'description': text, 'content': error} for code, text in ERRORS}
    responses['200'] = {
        'description': 'The predictions',
        'content': _json_content({'$ref': '#/components/schemas/Response'}, reply),
    }
    return {
        'openapi': '3.0.3',
        'info': _title(model),
        'servers': '@address@',
        'x-slipway': {'hasSamples': request is not None},
        'paths': {
            INFO_PATH: {
                'get': dict(
                    _info_operation(),
                    responses={'200': {'description': 'This document', 'content': _json_content({'type': 'object'})}},
                )
            },
            INVOKE_PATH: {
                'post': dict(
                    _invoke_operation(),
                    requestBody={
                        'required': True,
                        'content': _json_content({'$ref': '#/components/schemas/Request'}, request),
                    },
                    responses=responses,
                )
            },
        },
        'components': {
            'schemas': {'Request': _request_schema(model), 'Response': _response_schema(model), 'Error': _error_schema()}
        },
    }


def _swagger(model, request, reply):
    error = {'$ref': '#/definitions/Error'}
    responses = {code: {'description': text, 'schema': error} for code, text in ERRORS}
    responses['200'] = {'description': 'The predictions', 'schema': {'$ref': '#/definitions/Response'}}
    definitions = {
        'Request': _request_schema(model, swagger=True),
        'Response': _response_schema(model, swagger=True),
        'Error': _error_schema(),
    }
    if request is not None:
        definitions['Request']['example'] = request
        definitions['Response']['example'] = reply
    body = {'in': 'body', 'name': 'body', 'required': True, 'schema': {'$ref': '#/definitions/Request'}}
    media = {'consumes': ['application/json'], 'produces': ['application/json']}
    return {
        'swagger': '2.0',
        'info': _title(model),
        'basePath': '@address@',
        'x-slipway': {'hasSamples': request is not None},
        'paths': {
            INFO_PATH: {
                'get': dict(
                    _info_operation(),
                    produces=['application/json'],
                    responses={'200': {'description': 'This document', 'schema': {'type': 'object'}}},
                )
            },
            INVOKE_PATH: {'post': dict(_invoke_operation(), parameters=[body], responses=responses, **media)},
        },
        'definitions': definitions,
    }


def _title(model):
    # The description is the one that existing clients of this API look for.
    return {'title': model.name, 'version': model.version, 'description': 'This is a EDI server.'}


def _info_operation():
    return {'operationId': 'info', 'summary': 'Describe the model', 'tags': ['model']}


def _invoke_operation():
    return {'operationId': 'invoke', 'summary': 'Predict', 'tags': ['model']}


def _json_content(schema, example=None):
    content = {'schema': schema}
    if example is not None:
        content['example'] = example
    return {'application/json': content}


def _request_schema(model, swagger=False):
    names = {'type': 'string'}
    if model.inputs:
        names['enum'] = [column['name'] for column in model.inputs]
    return {
        'type': 'object',
        'required': ['data'],
        'properties': {
            'columns': {'type': 'array', 'items': names, 'description': 'Names of the columns; without it by position'},
            'data': _rows(model.inputs, swagger),
        },
    }


def _response_schema(model, swagger=False):
    names = {'type': 'string'}
    if model.outputs:
        names['enum'] = [column['name'] for column in model.outputs]
    cell = _cells(model.outputs, swagger, nullable=True)
    # Swagger 2.0 has no alternatives: there an item may be anything.
    item = {} if swagger else {'anyOf': [cell, {'type': 'array', 'items': cell}]}
    return {
        'type': 'object',
        'required': ['prediction', 'columns'],
        'properties': {
            'prediction': {'type': 'array', 'items': item},
            'columns': {'type': 'array', 'items': names},
        },
    }


def _rows(columns, swagger):
    optional = any(not column.get('required', True) for column in columns)
    cell = _cells(columns, swagger, nullable=optional)
    return {'type': 'array', 'minItems': 1, 'items': {'type': 'array', 'items': cell}}


def _cells(columns, swagger, nullable):
    """One schema for the cells of a row: their type when they share one. Without a description the format is numbers."""
    kinds = sorted({column.get('type', 'number') for column in columns}) or ['number']
    if set(kinds) == {'integer', 'number'}:
        kinds = ['number']
    if len(kinds) == 1:
        cell = {'type': kinds[0]}
    else:
        cell = {} if swagger else {'anyOf': [{'type': kind} for kind in kinds]}
    if nullable and cell:
        cell['x-nullable' if swagger else 'nullable'] = True
    return cell


def _error_schema():
    return {'type': 'object', 'required': ['message'], 'properties': {'message': {'type': 'string'}}}
