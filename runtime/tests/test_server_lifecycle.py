"""Time limit, full backlog, hanging calls, drain, failed start: under both HTTP hosts where they differ in code."""
import http.client
import json
import os
import threading
import time

import pytest
from iris import AREA, SAMPLES, returning
from server import Server

# The row says what the model does with it: ["sleep", seconds], ["spin"] (holds the interpreter), else a quick answer.
SCRIPTED = """
import ctypes, os, time
def init(): return 'matrix'
def predict_on_matrix(rows, provided_columns_names=None):
    word = rows[0][0]
    if word == 'sleep': time.sleep(rows[0][1])
    # PyDLL keeps the interpreter lock, as a native library without care does.
    if word == 'spin': ctypes.PyDLL(None).sleep(1000)
    return [os.getpid()], ('pid',)
"""
HOSTS = ('granian', 'gunicorn')


def sleep(server, seconds):
    return server.invoke({'data': [['sleep', seconds]]})


def quick(server):
    return server.invoke({'data': [['quick', 0]]})


def in_background(function, *arguments):
    """Runs a call beside the test. @returns a function that waits for its result"""
    results = []
    thread = threading.Thread(target=lambda: results.append(function(*arguments)), daemon=True)
    thread.start()

    def wait():
        thread.join(120)
        assert results, 'the call did not end'
        return results[0]

    return wait


def until(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if condition():
                return
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.05)
    raise AssertionError('not so within {} s'.format(seconds))


@pytest.mark.parametrize('host', HOSTS)
def test_a_prediction_longer_than_the_limit_is_504_and_others_go_on(serve, host):
    server = serve(SCRIPTED, TIMEOUT=3, THREADS=2, HTTP_HOST_SERVER=host)
    slow = in_background(sleep, server, 4.8)
    until(lambda: in_flight(server) == 2)
    assert quick(server).status == 200
    reply = slow()
    assert (reply.status, reply.json) == (504, {'message': 'The prediction took longer than 3 s'})
    # The call came back before twice the limit: the worker stays, and is ready again.
    until(lambda: server.get('/healthz/ready').status == 200)


def test_ready_is_false_and_live_is_true_while_a_call_hangs(serve):
    server = serve(SCRIPTED, TIMEOUT=4, THREADS=1)
    slow = in_background(sleep, server, 7.5)
    until(lambda: server.get('/healthz/ready').status == 503)
    assert server.get('/healthz/live').status == 200
    assert server.get('/v2/health/ready').status == 503
    refused = quick(server)
    assert (refused.status, refused.headers['retry-after']) == (503, '1')
    assert refused.json['message'] == 'Every prediction thread hangs'
    assert slow().status == 504
    until(lambda: server.get('/healthz/ready').status == 200)


def test_a_full_backlog_is_503_with_retry_after(serve):
    server = serve(SCRIPTED, THREADS=1, BACKLOG=1)
    waiting = [in_background(sleep, server, 4) for _ in range(2)]
    until(lambda: in_flight(server) == 3)
    reply = quick(server)
    assert (reply.status, reply.headers['retry-after']) == (503, '1')
    assert reply.json == {'message': 'Too many requests are waiting'}
    assert reply.headers['model-name'] == 'iris' and reply.headers['request-id']
    assert [wait().status for wait in waiting] == [200, 200]


@pytest.mark.parametrize('host', HOSTS)
def test_a_worker_stuck_for_twice_the_limit_is_replaced(serve, host):
    server = serve(SCRIPTED, TIMEOUT=3, THREADS=2, HTTP_HOST_SERVER=host)
    before = quick(server).json['prediction'][0]
    assert sleep(server, 1000).status == 504
    until(lambda: quick(server).json.get('prediction', [before])[0] != before)
    until(lambda: server.get('/healthz/ready').status == 200)
    assert 'slipway_server_workers_replaced_total 1' in metrics_of(server)
    assert server.process.poll() is None


def test_a_worker_whose_interpreter_is_held_is_ended_from_outside(serve):
    server = serve(SCRIPTED, TIMEOUT=3)
    before = quick(server).json['prediction'][0]
    stuck = in_background(broken, server, {'data': [['spin', 0]]})
    stuck()
    until(lambda: quick(server).json['prediction'][0] != before)
    assert 'worker {} does not answer, it is ended'.format(before) in server.log()


def broken(server, document):
    with pytest.raises((OSError, http.client.HTTPException)):
        server.invoke(document)
    return True


@pytest.mark.parametrize('host', HOSTS)
def test_drain_answers_everything_that_was_accepted(serve, host):
    server = serve(SCRIPTED, THREADS=2, HTTP_HOST_SERVER=host)
    # Two run, two wait in the backlog, one connection is open and idle.
    accepted = [in_background(sleep, server, 3) for _ in range(4)]
    idle = http.client.HTTPConnection('127.0.0.1', server.port, timeout=30)
    idle.request('GET', '/healthz/live')
    idle.getresponse().read()
    until(lambda: in_flight(server) == 5)
    server.terminate()
    until(lambda: server.get('/healthz/ready').status == 503)
    idle.request('POST', '/api/model/invoke', json.dumps({'data': [[1]]}))
    refused = idle.getresponse()
    body = json.loads(refused.read())
    assert (refused.status, refused.getheader('retry-after')) == (503, '1')
    assert body == {'message': 'The server is shutting down'}
    assert [wait().status for wait in accepted] == [200] * 4
    server.process.wait(timeout=60)
    assert server.process.returncode == 0


@pytest.mark.parametrize('workers', [1, 2])
def test_drain_under_load_loses_no_request(serve, workers):
    server = serve(AREA, SAMPLES, WORKERS=workers)
    outcomes = []

    def caller():
        # Like the gateway: a replica that says 503 gets no further request.
        status = 200
        while status == 200:
            status = one_request(server)
            outcomes.append(status)

    callers = [threading.Thread(target=caller) for _ in range(6)]
    for thread in callers:
        thread.start()
    until(lambda: len(outcomes) > 200)
    server.terminate()
    for thread in callers:
        thread.join(120)
    server.process.wait(timeout=60)
    assert server.process.returncode == 0
    assert set(outcomes) == {200, 503}


def one_request(server):
    """The status, or the exception that took its place."""
    try:
        return server.request('POST', '/api/model/invoke', '{"data": [[1, 2]]}').status
    except ConnectionRefusedError:
        return 503  # it has closed its door: whoever is so late goes elsewhere as well, and lost nothing
    except (OSError, http.client.HTTPException) as error:
        return repr(error)


@pytest.mark.parametrize('host', HOSTS)
@pytest.mark.parametrize(
    'source, expected',
    [
        ("raise ValueError('no weights')", 'ValueError: no weights'),
        (returning('[1]').replace("'matrix'", "'table'"), 'init returned \'table\', expected "matrix"'),
        ('import sys\nsys.exit(0)', 'SystemExit: 0'),
    ],
)
def test_a_model_that_cannot_be_loaded_ends_the_server(tmp_path, host, source, expected):
    (tmp_path / 'entrypoint.py').write_text(source)
    server = Server(str(tmp_path), {'HTTP_HOST_SERVER': host})
    try:
        assert server.process.wait(timeout=120) == 3
        assert expected in server.log()
    finally:
        server.close()


@pytest.mark.parametrize(
    'variable, value, expected',
    [
        ('PORT', '1023', "PORT must be an integer from 1024 to 65535, not '1023'"),
        ('THREADS', 'many', "THREADS must be an integer from 1 to 256, not 'many'"),
        ('HTTP_HOST_SERVER', 'apache', "HTTP_HOST_SERVER 'apache' is not installed"),
    ],
)
def test_a_bad_setting_ends_the_server_with_a_sentence(tmp_path, variable, value, expected):
    server = Server(str(tmp_path), {variable: value})
    try:
        assert server.process.wait(timeout=120) == 2
        assert server.log().startswith('slipway: ' + expected)
    finally:
        server.close()


def test_an_entry_point_may_have_another_name(serve, tmp_path):
    (tmp_path / 'mine.py').write_text(returning('[1]'))
    server = Server(str(tmp_path), {'MODEL_ENTRYPOINT': 'mine.py', 'MODEL_NAME': 'süß "x"', 'MODEL_VERSION': '1 0'})
    try:
        server.wait_until_ready()
        reply = server.invoke({'data': [[1]]})
        assert reply.headers['model-name'] == 's%C3%BC%C3%9F %22x%22'
        assert server.get('/v2/models/s%C3%BC%C3%9F%20%22x%22').json['name'] == 'süß "x"'
    finally:
        server.close()


def metrics_of(server):
    return server.get('/metrics').body.decode().splitlines()


def in_flight(server):
    line = next(line for line in metrics_of(server) if line.startswith('slipway_server_in_flight'))
    return int(line.split()[1])


def test_a_read_only_folder_is_enough(serve, tmp_path):
    # Images run with a read-only root: nothing may be written next to the model.
    server = serve(AREA, SAMPLES)
    assert server.invoke({'data': [[1, 2]]}).status == 200
    for folder, _, files in os.walk(str(tmp_path)):
        assert '__pycache__' not in folder and not [name for name in files if name.endswith('.pyc')]


# The second number of an answer is how many rows its call had; the model's first call holds up the others.
COUNTING = """
import time
def init(): return 'matrix'
def info(): return [{'name': 'a', 'type': 'number', 'required': True}], []
def predict_on_matrix(rows, provided_columns_names=None):
    time.sleep(1)
    return [[row[0] * 2, len(rows)] for row in rows], ('double', 'rows')
"""


# More batches than one: on a busy machine, the last requests arrive while the first batches are predicted.
@pytest.mark.parametrize('settings, count, largest', [({'dtypes': ['float64'], 'batch': True}, 30, 7), (None, 10, 1)])
def test_requests_that_wait_are_batched_when_the_self_check_allows_it(serve, settings, count, largest):
    server = serve(COUNTING, settings=settings, THREADS=1, BATCH_ROWS=7)
    waiting = [in_background(server.invoke, {'data': [[number]]}) for number in range(count)]
    rows = [wait().json['prediction'][0] for wait in waiting]
    assert [row[0] for row in rows] == [number * 2 for number in range(count)]
    assert max(row[1] for row in rows) == largest
    assert ('batches of up to 7 rows' in server.log()) is (largest == 7)
