"""The candidates as processes pinned to one core, and wrk on another core against them."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RUNTIME = os.path.join(os.path.dirname(os.path.dirname(HERE)), 'runtime')
SERVER_CORE, LOAD_CORE = '0', '1'
# One thread each: libraries that start a thread per core fight over the one core there is.
ONE_THREAD = {name: '1' for name in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS')}
COMMANDS = {
    'slipway': ['-m', 'slipway_server'],
    'unbatched': ['-m', 'slipway_server'],
    'flask': ['-m', 'gunicorn', '--workers', '1', '--threads', '4', '--worker-class', 'gthread', '--log-level', 'error', 'flask_app:app'],
}


class Candidate:
    def __init__(self, kind, model_folder):
        self.port = _free_port()
        environment = dict(
            os.environ,
            **ONE_THREAD,
            MODEL_LOCATION=model_folder,
            MODEL_NAME='bench',
            HOST='127.0.0.1',
            PORT=str(self.port),
            WORKERS='1',
            THREADS='4',
            PYTHONPATH=HERE if kind == 'flask' else RUNTIME,
            BATCH_ROWS='1' if kind == 'unbatched' else '',
            GUNICORN_CMD_ARGS='--bind 127.0.0.1:{}'.format(self.port),
        )
        started = time.monotonic()
        command = ['taskset', '-c', SERVER_CORE, sys.executable] + COMMANDS[kind]
        self._process = subprocess.Popen(command, env=environment, start_new_session=True, stdout=subprocess.DEVNULL)
        self._wait_until_ready()
        self.start_seconds = time.monotonic() - started

    def invoke(self, body):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=30)
        connection.request('POST', '/api/model/invoke', body, {'content-type': 'application/json'})
        reply = connection.getresponse()
        document = json.loads(reply.read())
        connection.close()
        assert reply.status == 200, document
        return document

    def load(self, body, connections, seconds):
        """One round: requests per second, the same per second of CPU that the server used, latencies in ms."""
        url = 'http://127.0.0.1:{}/api/model/invoke'.format(self.port)
        script = os.path.join(HERE, 'post.lua')
        command = ['taskset', '-c', LOAD_CORE, 'wrk', '-t1', '-c{}'.format(connections), '-d{}s'.format(seconds)]
        command += ['--latency', '-s', script, url]
        before = self._cpu_seconds()
        done = subprocess.run(command, env=dict(os.environ, BODY=body), capture_output=True, text=True, check=True)
        used = self._cpu_seconds() - before
        if 'Non-2xx' in done.stdout or 'Socket errors' in done.stdout:
            raise RuntimeError('the round had errors:\n' + done.stdout)
        rate = float(re.search(r'Requests/sec:\s+([\d.]+)', done.stdout).group(1))
        requests = int(re.search(r'(\d+) requests in', done.stdout).group(1))
        return {
            'requestsPerSecond': rate,
            'requestsPerCpuSecond': requests / used,
            'p50Ms': _latency(done.stdout, 50),
            'p99Ms': _latency(done.stdout, 99),
        }

    def memory_mb(self):
        """Resident memory of main process and workers together."""
        pages = sum(int(fields[21]) for fields in self._stats())
        return round(pages * os.sysconf('SC_PAGE_SIZE') / 1024 / 1024)

    def _cpu_seconds(self):
        """Time on a core, of user and kernel. Unlike the clock's, it does not count what other programs took."""
        return sum(int(fields[11]) + int(fields[12]) for fields in self._stats()) / os.sysconf('SC_CLK_TCK')

    def _stats(self):
        """The fields of /proc/<pid>/stat after the name, for every process of the candidate's session."""
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open('/proc/{}/stat'.format(pid)) as stream:
                    fields = stream.read().rsplit(')', 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == self._process.pid:
                yield fields

    def close(self):
        os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait(timeout=30)

    def _wait_until_ready(self):
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError('the server ended with {}'.format(self._process.returncode))
            try:
                connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=5)
                connection.request('GET', '/healthz/ready')
                if connection.getresponse().status == 200:
                    return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError('the server did not become ready')


def _latency(printed, percent):
    value, unit = re.search(r'{}%\s+([\d.]+)(us|ms|s)'.format(percent), printed).groups()
    return float(value) * {'us': 0.001, 'ms': 1.0, 's': 1000.0}[unit]


def _free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]
