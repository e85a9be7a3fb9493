"""Serves the WSGI callable with gunicorn, for Pythons that granian does not support."""
import os
import signal

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter

from .lifecycle import EXIT_INIT_FAILED, SPARE_THREADS, Lifecycle
from .worker import create_app


class Application(BaseApplication):
    def __init__(self, settings, board):
        self._settings = settings
        self._board = board
        super(Application, self).__init__()

    def load_config(self):
        settings = self._settings
        options = {
            'bind': '{}:{}'.format('[{}]'.format(settings.host) if ':' in settings.host else settings.host, settings.port),
            'workers': settings.workers,
            'worker_class': 'gthread',
            'threads': settings.threads + settings.backlog + SPARE_THREADS,
            # The worker's guard knows about hanging calls; this one only knows about a dead main loop.
            'timeout': settings.timeout_seconds * 2 + 30,
            'graceful_timeout': 5,
            'keepalive': 75,
            'loglevel': 'error',
            'worker_tmp_dir': '/dev/shm' if os.access('/dev/shm', os.W_OK) else None,
            'when_ready': self._when_ready,
            'post_fork': _post_fork,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self):
        return create_app(self._settings, self._board)

    def _when_ready(self, arbiter):
        self.lifecycle = Lifecycle(self._settings, self._board, self._stop)
        self.lifecycle.start()

    def _stop(self):
        # Arbiter's own orderly stop hangs on its signal queue.
        signal_queue = self.arbiter.SIG_QUEUE
        signal_queue.append(signal.SIGTERM)
        self.arbiter.wakeup()


def serve(settings, board):
    """@returns the exit code"""
    application = Application(settings, board)
    application.arbiter = Arbiter(application)
    try:
        application.arbiter.run()
    except SystemExit as ended:
        return EXIT_INIT_FAILED if board.is_set(1) else ended.code or 0
    return 0


def _post_fork(_arbiter, _worker):
    pass
