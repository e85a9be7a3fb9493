"""The server's configuration, read once from the environment."""
import importlib.util


class SettingsError(Exception):
    """A value that cannot be used, named in one sentence."""


class Settings(object):
    def __init__(self, **values):
        self.__dict__.update(values)


# Variable: (attribute, default, smallest, largest). Those that are arguments of a packaging keep the table in
# lifecycle/kinds/packaging-arguments.ts: a test compares them.
NUMBERS = {
    'PORT': ('port', 5000, 1024, 65535),
    'WORKERS': ('workers', 1, 1, 64),
    'THREADS': ('threads', 4, 1, 256),
    'TIMEOUT': ('timeout_seconds', 60, 1, 3600),
    'BACKLOG': ('backlog', 100, 0, 10000),
    'BATCH_ROWS': ('batch_rows', 32, 1, 1024),
    'MAX_BODY_BYTES': ('max_body_bytes', 32 * 1024 * 1024, 1, 1024 * 1024 * 1024),
}


def read_settings(environ):
    """@raises SettingsError naming the variable"""
    values = {
        'location': environ.get('MODEL_LOCATION', '/app/model'),
        'entrypoint': environ.get('MODEL_ENTRYPOINT') or 'entrypoint',
        'name': environ.get('MODEL_NAME') or 'model',
        'version': environ.get('MODEL_VERSION') or '1',
        'host': environ.get('HOST') or '0.0.0.0',
        'host_server': _host_server(environ.get('HTTP_HOST_SERVER')),
    }
    for variable, (attribute, default, smallest, largest) in NUMBERS.items():
        values[attribute] = _number(environ, variable, default, smallest, largest)
    return Settings(**values)


def _number(environ, variable, default, smallest, largest):
    text = environ.get(variable) or str(default)
    try:
        value = int(text)
    except ValueError:
        value = None
    if value is None or not smallest <= value <= largest:
        raise SettingsError('{} must be an integer from {} to {}, not {!r}'.format(variable, smallest, largest, text))
    return value


def _host_server(wanted):
    available = [name for name in ('granian', 'gunicorn') if importlib.util.find_spec(name) is not None]
    if wanted:
        if wanted not in available:
            raise SettingsError('HTTP_HOST_SERVER {!r} is not installed'.format(wanted))
        return wanted
    if not available:
        raise SettingsError('neither granian nor gunicorn is installed')
    return available[0]
