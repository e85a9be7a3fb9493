"""Reads a request's body: size, media type, JSON."""
import json

from .errors import HttpError, bad_request

DISCARDED_BYTES = 1024 * 1024


def _refuse_constant(name):
    raise ValueError('{} is not a JSON value'.format(name))


# Python reads NaN and Infinity, JSON does not know them.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def read_body(environ, limit):
    """@raises HttpError 413"""
    length = environ.get('CONTENT_LENGTH')
    if length and length.isdigit() and int(length) > limit:
        raise _too_large(environ, limit)
    if length == '0' or (not length and not environ.get('HTTP_TRANSFER_ENCODING')):
        return b''
    body = environ['wsgi.input'].read(limit + 1)
    if len(body) > limit:
        raise _too_large(environ, limit)
    return body


def media_type(environ):
    return environ.get('CONTENT_TYPE', '').partition(';')[0].strip().lower()


def require_json(environ):
    """JSON, or no type at all. @raises HttpError 415"""
    kind = media_type(environ)
    if kind and kind != 'application/json' and not kind.endswith('+json'):
        raise HttpError(415, 'Content type {} is not supported, send application/json'.format(kind))


def parse_object(body):
    """@raises HttpError 400 with the message of the case"""
    if not body:
        raise bad_request('Please provide data with this POST request')
    try:
        document = _DECODER.decode(body.decode('utf-8'))
    # UnicodeDecodeError is a ValueError; deep nesting ends in a RecursionError.
    except (ValueError, RecursionError) as error:
        raise bad_request('Can not parse input as JSON: {}'.format(error))
    if not isinstance(document, dict):
        raise bad_request('Request body must be a JSON object')
    return document


def _too_large(environ, limit):
    # A caller that is still sending when the connection closes sees a reset instead of the reply, so some more is read.
    environ['wsgi.input'].read(DISCARDED_BYTES)
    return HttpError(413, 'Request body is larger than {} bytes'.format(limit), [('connection', 'close')])
