"""The threads that predict. A request waits for its result no longer than the time limit, whatever the model does.

Batching: rows of single-row requests that wait at the same moment are predicted in one call.
"""
import threading
import time

from .errors import HttpError, ModelError, unavailable
from .prediction import to_lists

try:
    from queue import Empty, SimpleQueue as Queue
except ImportError:  # Python 3.6
    from queue import Empty, Queue

# So long a batch waits for as many calls as the previous one had.
BATCH_DELAY_SECONDS = 0.005
NEVER = float('inf')


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

    def may_join(self):
        """A null may change the type of its column in a frame, and with it the answers to other rows."""
        return len(self.rows) == 1 and None not in self.rows[0]


class Pool(object):
    """`waiting` counts admitted calls; more than threads + backlog of them are refused.

    batch_rows: how many single-row calls one prediction may join; 1 = every call is predicted alone.
    """

    def __init__(self, predict, threads, backlog, timeout_seconds, batch_rows=1):
        self._predict = predict
        self._limit = threads + backlog
        self._timeout = timeout_seconds
        self._batch_rows = batch_rows
        # As many calls as the previous batch had: one call at a time is never delayed.
        self._expected = 1
        # How many queued calls set the event.
        self._wanted = NEVER
        self._enough = threading.Event()
        self._turn = threading.Lock()
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
            if self._queue.qsize() >= self._wanted:
                self._enough.set()
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
        while True:
            if self._batch_rows == 1:
                self._predict_alone(index, self._queue.get())
            else:
                self._work_on_batch(index)
            self._started[index] = 0.0

    def _work_on_batch(self, index):
        # One thread gathers at a time, or several would share out the calls that could be one batch.
        with self._turn:
            job = self._queue.get()
            jobs, last = self._gather(job) if job.may_join() else ([], job)
        self._predict_together(index, jobs)
        if last is not None:
            self._predict_alone(index, last)

    def _gather(self, job):
        """(calls to predict together, the call that ended the search because it may not join, or None)"""
        if self._expected > 1:
            self._await_calls(self._expected - 1)
        jobs, last = [job], None
        try:
            while len(jobs) < self._batch_rows and last is None:
                other = self._queue.get(False)
                if other.may_join():
                    jobs.append(other)
                else:
                    last = other
        except Empty:
            pass
        self._expected = len(jobs)
        return jobs, last

    def _await_calls(self, count):
        self._enough.clear()
        # Before the queue is looked at: a call that comes in between then sets the event.
        self._wanted = count
        if self._queue.qsize() < count:
            self._enough.wait(BATCH_DELAY_SECONDS)
        self._wanted = NEVER

    def _predict_together(self, index, jobs):
        jobs = [job for job in jobs if not job.abandoned]
        if len(jobs) > 1:
            self._started[index] = time.monotonic()
            try:
                matrix, outputs = self._predict([job.rows[0] for job in jobs], jobs[0].names)
                results = to_lists(matrix)
                if len(results) != len(jobs):
                    raise ValueError('{} predictions for {} rows'.format(len(results), len(jobs)))
            # One row may fail the whole call: each caller then gets the answer to its own row.
            except BaseException:
                pass
            else:
                for job, result in zip(jobs, results):
                    job.result = [result], outputs
                    job.done.release()
                return
        for job in jobs:
            self._predict_alone(index, job)

    def _predict_alone(self, index, job):
        if job.abandoned:
            return
        self._started[index] = time.monotonic()
        try:
            job.result = self._predict(job.rows, job.names)
        # Foreign code may raise SystemExit, which would end this thread silently.
        except BaseException as error:
            job.error = error
        job.done.release()
