"""A model server in processes of its own, spoken to over real sockets."""
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

from job import RUNTIME


class Reply:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)


class Server:
    def __init__(self, location, environment, python=sys.executable):
        self.port = free_port()
        self._log = tempfile.TemporaryFile(mode='w+')
        settings = dict(
            os.environ,
            MODEL_LOCATION=location,
            MODEL_NAME='iris',
            MODEL_VERSION='1.0',
            HOST='127.0.0.1',
            PORT=str(self.port),
            PYTHONPATH=RUNTIME,
            PYTHONDONTWRITEBYTECODE='1',
        )
        settings.update({name: str(value) for name, value in environment.items()})
        command = [python, '-m', 'slipway_server']
        self.process = subprocess.Popen(command, env=settings, stdout=self._log, stderr=self._log, start_new_session=True)

    def wait_until_ready(self, seconds=180, path='/healthz/ready'):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError('the server ended with {}\n{}'.format(self.process.returncode, self.log()))
            try:
                if self.get(path).status == 200:
                    return self
            except OSError:
                pass
            time.sleep(0.05)
        raise AssertionError('not ready\n' + self.log())

    def get(self, path, headers=()):
        return self.request('GET', path, None, dict(headers))

    def post(self, path, document, headers=()):
        return self.request('POST', path, json.dumps(document), dict({'content-type': 'application/json'}, **dict(headers)))

    def invoke(self, document, headers=()):
        return self.post('/api/model/invoke', document, headers)

    def request(self, method, path, body=None, headers=None, timeout=120):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return Reply(response, response.read())
        finally:
            connection.close()

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def log(self):
        self._log.seek(0)
        return self._log.read()

    def close(self):
        if self.process.poll() is None:
            # The group is ours alone: workers that hang go with their main process.
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=30)
        self._log.close()


def free_port():
    # None that the system hands out by itself: another process could get it before the server does.
    # Each process of the tests draws from ports of its own, as a server takes seconds to bind its port.
    worker = int(os.environ.get('PYTEST_XDIST_WORKER', 'gw0')[2:])
    workers = int(os.environ.get('PYTEST_XDIST_WORKER_COUNT', '1'))
    while True:
        port = random.randrange(30000 + worker, 32768, workers)
        with socket.socket() as probe:
            try:
                probe.bind(('127.0.0.1', port))
                return port
            except OSError:
                pass
