"""A worker's heartbeat, and its end when a call hangs: new calls are refused, the others finish, the process exits."""
import os
import sys
import threading
import time

from .board import HEARTBEAT, HUNG

EXIT_STUCK = 70


def start_guard(pool, board, slot, timeout_seconds):
    thread = threading.Thread(target=_watch, args=(pool, board, slot, timeout_seconds), name='guard', daemon=True)
    thread.start()


def _watch(pool, board, slot, timeout_seconds):
    pause = min(0.25, timeout_seconds / 8.0)
    while True:
        oldest = pool.oldest_call_seconds()
        board.cells[slot + HUNG] = pool.hung
        board.cells[slot + HEARTBEAT] = time.monotonic()
        if oldest > 2 * timeout_seconds:
            _leave(pool, board, slot, timeout_seconds)
        time.sleep(pause)


def _leave(pool, board, slot, timeout_seconds):
    print('slipway: a prediction hangs, the worker is replaced', file=sys.stderr)
    pool.retire()
    deadline = time.monotonic() + timeout_seconds + 1
    while pool.waiting and time.monotonic() < deadline:
        board.cells[slot + HEARTBEAT] = time.monotonic()
        time.sleep(0.05)
    # The last replies are on their way to the sockets.
    time.sleep(0.2)
    sys.stderr.flush()
    # A thread that hangs cannot be joined, so there is no orderly exit.
    os._exit(EXIT_STUCK)
