"""The main process' duties beside serving: drain before the stop, end workers that no longer even beat."""
import os
import signal
import sys
import threading
import time

from .board import DRAINING, FAILED, HEARTBEAT, IN_FLIGHT, PID

# The kernel resets accepted connections with unread data when the listening socket closes. So it stays open until
# no request came for a while: callers that read the 503 go elsewhere. Those who do not are not waited for any longer.
QUIET_SECONDS = 0.5
LONGEST_NOISE_SECONDS = 5
# Threads beyond those that predict or wait: health checks are answered while every other one is taken.
SPARE_THREADS = 8
EXIT_INIT_FAILED = 3


class Lifecycle(object):
    """`stop` is the host's own orderly stop."""

    def __init__(self, settings, board, stop):
        self._settings = settings
        self._board = board
        self._stop = stop
        self._main_pid = os.getpid()

    def start(self):
        for signum in (signal.SIGTERM, signal.SIGINT):
            signal.signal(signum, self._on_signal)
        threading.Thread(target=self._supervise, name='supervise', daemon=True).start()

    def _on_signal(self, _signum, _frame):
        if os.getpid() != self._main_pid:
            # A worker that has not set up its own handlers yet.
            os._exit(0)
        if not self._board.is_set(DRAINING):
            self._board.set(DRAINING)
            threading.Thread(target=self._drain, name='drain', daemon=True).start()

    def _drain(self):
        begun = last_request = time.monotonic()
        answered = self._board.answered()
        busy = True
        while busy or self._is_noisy(begun, last_request):
            time.sleep(0.02)
            now = time.monotonic()
            if self._board.answered() != answered:
                answered, last_request = self._board.answered(), now
            busy = self._board.total(IN_FLIGHT) > 0 and now < begun + self._settings.timeout_seconds + 5
        self._stop()

    @staticmethod
    def _is_noisy(begun, last_request):
        now = time.monotonic()
        return now < last_request + QUIET_SECONDS and now < begun + LONGEST_NOISE_SECONDS

    def _supervise(self):
        # A worker whose guard is silent holds the interpreter lock in native code; only a signal ends it.
        limit = 2 * self._settings.timeout_seconds
        while True:
            time.sleep(min(0.5, limit / 8.0))
            if self._board.is_set(FAILED):
                self._stop()
                return
            now = time.monotonic()
            for slot in self._board.slots():
                pid, beat = int(self._board.cells[slot + PID]), self._board.cells[slot + HEARTBEAT]
                if pid and now - beat > limit:
                    self._board.cells[slot + HEARTBEAT] = now
                    print('slipway: worker {} does not answer, it is ended'.format(pid), file=sys.stderr)
                    _kill(pid)


def _kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass
