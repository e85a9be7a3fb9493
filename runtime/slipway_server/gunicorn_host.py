"""Serves the WSGI callable with gunicorn, for Pythons that granian does not support."""
import os
import signal

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.errors import HaltServer

from .board import FAILED
from .lifecycle import EXIT_INIT_FAILED, SPARE_THREADS, Lifecycle
from .worker import create_app


class Application(BaseApplication):
    def __init__(self, settings, board):
        self._settings = settings
        self._board = board
        super(Application, self).__init__()

    def load_config(self):
        settings = self._settings
        host = '[{}]'.format(settings.host) if ':' in settings.host else settings.host
        options = {
            'bind': '{}:{}'.format(host, settings.port),
            'workers': settings.workers,
            'worker_class': 'gthread',
            'threads': settings.threads + settings.backlog + SPARE_THREADS,
            # The worker's guard knows about hanging calls; this one only knows about a dead main loop.
            'timeout': settings.timeout_seconds * 2 + 30,
            'graceful_timeout': 5,
            'keepalive': 75,
            'loglevel': 'error',
            # Images run with a read-only root.
            'worker_tmp_dir': '/dev/shm' if os.access('/dev/shm', os.W_OK) else None,
            'when_ready': self._start_lifecycle,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self):
        return create_app(self._settings, self._board)

    def _start_lifecycle(self, arbiter):
        # The arbiter has set its own signal handlers by now; its orderly stop is what its SIGTERM handler does.
        Lifecycle(self._settings, self._board, lambda: arbiter.signal(signal.SIGTERM, None)).start()


def serve(settings, board):
    """@returns the exit code"""
    code = 0
    try:
        Arbiter(Application(settings, board)).run()
    except SystemExit as ended:
        code = ended.code or 0
    except HaltServer as halted:
        # A worker that fails while the others are being stopped: gunicorn raises what it otherwise turns into an exit.
        code = halted.exit_status
    return EXIT_INIT_FAILED if board.is_set(FAILED) else code
