"""The threads that predict. A request waits for its result no longer than the time limit, whatever the model does."""
import threading
import time

from .errors import HttpError, ModelError, unavailable

try:
    from queue import SimpleQueue as Queue
except ImportError:  # Python 3.6
    from queue import Queue


class Job(object):
    __slots__ = ('rows', 'names', 'done', 'result', 'error', 'abandoned')

    def __init__(self, rows, names):
        self.rows = rows
        self.names = names
        # A bare lock is the cheapest thing that a thread can wait for with a time limit.
        self.done = threading.Lock()
        self.done.acquire()
        self.result = None
        self.error = None
        self.abandoned = False


class Pool(object):
    """`waiting` counts admitted calls; more than threads + backlog of them are refused."""

    def __init__(self, predict, threads, backlog, timeout_seconds):
        self._predict = predict
        self._limit = threads + backlog
        self._timeout = timeout_seconds
        self._queue = Queue()
        self._lock = threading.Lock()
        self._started = [0.0] * threads
        self.waiting = 0
        self.hung = 0
        self.retiring = False
        for index in range(threads):
            threading.Thread(target=self._work, args=(index,), name='predict-{}'.format(index), daemon=True).start()

    def call(self, rows, names):
        """The model's result. @raises HttpError 503 (full, retiring), 504 (too long), ModelError (it raised)"""
        with self._lock:
            if self.retiring:
                raise unavailable('The worker is being replaced')
            if self.hung >= len(self._started):
                raise unavailable('Every prediction thread hangs')
            if self.waiting >= self._limit:
                raise unavailable('Too many requests are waiting')
            self.waiting += 1
        try:
            job = Job(rows, names)
            self._queue.put(job)
            if not job.done.acquire(True, self._timeout):
                job.abandoned = True
                raise HttpError(504, 'The prediction took longer than {} s'.format(self._timeout))
        finally:
            with self._lock:
                self.waiting -= 1
        if job.error is not None:
            raise ModelError(job.error) from job.error
        return job.result

    def oldest_call_seconds(self):
        """How long the longest running call has been running; also counts those past the limit into `hung`."""
        now = time.monotonic()
        ages = [now - started for started in list(self._started) if started]
        self.hung = sum(1 for age in ages if age > self._timeout)
        return max(ages) if ages else 0.0

    def retire(self):
        with self._lock:
            self.retiring = True

    def _work(self, index):
        get, predict, started = self._queue.get, self._predict, self._started
        while True:
            job = get()
            if job.abandoned:
                continue
            started[index] = time.monotonic()
            try:
                job.result = predict(job.rows, job.names)
            # Foreign code may raise SystemExit, which would end this thread silently.
            except BaseException as error:
                job.error = error
            started[index] = 0.0
            job.done.release()
