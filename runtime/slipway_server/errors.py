"""Every reply that is not a success, as an exception with status and message."""
import json
import math


class HttpError(Exception):
    def __init__(self, status, message, headers=()):
        super(HttpError, self).__init__(message)
        self.status = status
        self.message = message
        self.headers = list(headers)


class ModelError(HttpError):
    """The model raised, or returned something unusable. Its traceback is for the log alone."""

    def __init__(self, cause):
        text = str(cause) or type(cause).__name__
        super(ModelError, self).__init__(500, 'Exception during prediction: {}'.format(text))


def bad_request(message):
    return HttpError(400, message)


def unavailable(message):
    """The caller may try again: at another replica at once, here in a second."""
    return HttpError(503, message, [('retry-after', '1'), ('connection', 'close')])


def shown(value):
    """A value of the caller's as JSON writes it, at most 100 characters; what may be long is only named."""
    if isinstance(value, (list, dict)):
        return 'an array' if isinstance(value, list) else 'an object'
    if isinstance(value, float) and not math.isfinite(value):
        return 'a number that is not finite'
    # Half a surrogate pair, which JSON can escape and UTF-8 cannot hold, stays escaped.
    text = json.dumps(value, ensure_ascii=False).encode('utf-8', 'backslashreplace').decode('utf-8')
    return text if len(text) <= 100 else text[:97] + '...'
