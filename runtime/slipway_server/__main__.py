"""Starts the server: python3 -m slipway_server. Configured by environment variables alone, see settings.py."""
import os
import sys

from .board import Board
from .settings import SettingsError, read_settings


def main():
    try:
        settings = read_settings(os.environ)
    except SettingsError as error:
        print('slipway: {}'.format(error), file=sys.stderr)
        return 2
    board = Board(settings.workers)
    # Both hosts run the same WSGI callable; granian needs Python 3.10.
    if settings.host_server == 'granian':
        from .granian_host import serve
    else:
        from .gunicorn_host import serve
    return serve(settings, board)


if __name__ == '__main__':
    sys.exit(main())
