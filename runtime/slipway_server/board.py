"""Memory shared by the main process and its workers: drain flag, heartbeats, counters. Made before the first fork."""
import multiprocessing
import os
import time

STATUSES = (200, 400, 404, 405, 413, 415, 500, 503, 504)
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

DRAINING, FAILED, REPLACED = range(3)
GLOBALS = 3
PID, HEARTBEAT, IN_FLIGHT, HUNG, SECONDS = range(5)
STATUS_AT = 5
BUCKET_AT = STATUS_AT + len(STATUSES)
SLOT = BUCKET_AT + len(BUCKETS) + 1
STATUS_INDEX = {status: STATUS_AT + index for index, status in enumerate(STATUSES)}


class Board(object):
    def __init__(self, workers):
        self.workers = workers
        self._lock = multiprocessing.Lock()
        # A memory view is several times faster to index than the array itself; each slot has one writing process.
        array = multiprocessing.RawArray('d', GLOBALS + workers * SLOT)
        self.cells = memoryview(array).cast('B').cast('d')

    def set(self, flag):
        self.cells[flag] = 1.0

    def is_set(self, flag):
        return self.cells[flag] != 0.0

    def claim(self):
        """First cell of a slot for the calling worker: a free one, or that of a worker that is gone."""
        with self._lock:
            for worker in range(self.workers):
                slot = GLOBALS + worker * SLOT
                if not _alive(int(self.cells[slot + PID])):
                    if self.cells[slot + PID]:
                        self.cells[REPLACED] += 1
                    self.cells[slot + PID] = os.getpid()
                    self.cells[slot + HEARTBEAT] = time.monotonic()
                    self.cells[slot + IN_FLIGHT] = 0
                    self.cells[slot + HUNG] = 0
                    return slot
        raise RuntimeError('more workers than slots')

    def slots(self):
        return [GLOBALS + worker * SLOT for worker in range(self.workers)]

    def total(self, field):
        return sum(self.cells[slot + field] for slot in self.slots())

    def answered(self):
        """Requests answered by all workers so far."""
        return sum(self.total(index) for index in STATUS_INDEX.values())


def _alive(pid):
    if pid == 0:
        return False
    try:
        # Before a worker that ended was waited for (Z), and while it is (X), it still takes the signal.
        with open('/proc/{}/stat'.format(pid)) as stream:
            return stream.read().rsplit(')', 1)[1].split()[0] not in 'ZX'
    except (IOError, OSError):
        return False
