"""Serves the WSGI callable with granian."""
import multiprocessing
from functools import partial

from granian import Granian
from granian.constants import Interfaces
from granian.log import LogLevels

from .board import FAILED
from .lifecycle import EXIT_INIT_FAILED, SPARE_THREADS, Lifecycle
from .worker import create_app


def serve(settings, board):
    """@returns the exit code"""
    # The board's memory is inherited, which only a fork does.
    multiprocessing.set_start_method('fork', force=True)
    threads = settings.threads + settings.backlog + SPARE_THREADS
    server = Granian(
        'slipway_server.worker:create_app',
        address=settings.host,
        port=settings.port,
        interface=Interfaces.WSGI,
        workers=settings.workers,
        blocking_threads=threads,
        backpressure=threads,
        websockets=False,
        respawn_failed_workers=True,
        workers_kill_timeout=5,
        log_level=LogLevels.error,
    )
    # After granian has set its own signal handlers, and before the first worker.
    server.on_startup(Lifecycle(settings, board, server.signal_handler_interrupt).start)
    code = 0
    try:
        server.serve(target_loader=partial(create_app, settings, board), wrap_loader=False)
    except SystemExit as ended:
        code = ended.code or 0
    return EXIT_INIT_FAILED if board.is_set(FAILED) else code
