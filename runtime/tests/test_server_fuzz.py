"""Whatever the body: never a 5xx, never anything but JSON with a message."""
import http.client
import json
import random

import pytest
from iris import AREA, COLUMNS, SAMPLES, TYPED

SEED = 20260101
PATHS = ('/api/model/invoke', '/invocations', '/v2/models/iris/infer')
SCALARS = (0, 1, -1, 1.5, 1e308, -1e308, 2**63, 10**400, True, False, None, '', 'x', 'é', '\u0000', '1', 'NaN')
KEYS = ('columns', 'data', 'inputs', 'instances', 'dataframe_split', 'dataframe_records', 'name', 'shape', 'datatype', 'id')
SEEDS = (
    {'columns': COLUMNS, 'data': [[1, 2]]},
    {'dataframe_split': {'columns': COLUMNS, 'data': [[1, 2]]}},
    {'dataframe_records': [{'sepal_length': 1, 'sepal_width': 2}]},
    {'inputs': {'sepal_length': [1], 'sepal_width': [2]}},
    {'inputs': [{'name': 'predict', 'shape': [1, 2], 'datatype': 'FP64', 'data': [1, 2]}]},
)


@pytest.mark.parametrize('path', PATHS)
def test_fuzzed_bodies_never_give_5xx(serve, path):
    server = serve(AREA, SAMPLES, TYPED)
    random_source = random.Random(SEED)
    connection = http.client.HTTPConnection('127.0.0.1', server.port, timeout=30)
    statuses = set()
    for _ in range(1500):
        body = fuzzed_body(random_source)
        kind = random_source.choice(('application/json', 'application/json', 'text/csv', ''))
        connection.request('POST', path, body, {'content-type': kind} if kind else {})
        response = connection.getresponse()
        reply = response.read()
        assert response.status in (200, 400, 415), (body, reply)
        assert response.getheader('content-type') == 'application/json'
        document = json.loads(reply)
        assert response.status == 200 or isinstance(document['message'], str)
        statuses.add(response.status)
    connection.close()
    # The fuzz is only worth something when it reaches the model too.
    assert statuses >= {200, 400}


def fuzzed_body(source):
    document = mutated(source, source.choice(SEEDS))
    body = json.dumps(document).encode('utf-8', 'surrogatepass')
    if source.random() < 0.3:
        at = source.randrange(len(body) + 1)
        noise = bytes(source.randrange(256) for _ in range(source.randrange(4)))
        body = body[:at] + noise + body[at + source.randrange(3) :]
    return body


def mutated(source, value):
    """The value with some parts replaced, dropped or doubled."""
    if source.random() < 0.12:
        return source.choice((source.choice(SCALARS), [], {}, [[]], [source.choice(SCALARS)], {source.choice(KEYS): value}))
    if isinstance(value, dict):
        return {
            source.choice(KEYS) if source.random() < 0.05 else key: mutated(source, item)
            for key, item in value.items()
            if source.random() > 0.05
        }
    if isinstance(value, list):
        items = [mutated(source, item) for item in value if source.random() > 0.05]
        return items * source.choice((1, 1, 1, 2))
    return value
