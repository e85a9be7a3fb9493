"""The status table of invoke, row by row."""
import json
import uuid

import pytest
from iris import AREA, COLUMNS, PLAIN, SAMPLES, returning

INVOKE = '/api/model/invoke'
JSON = {'content-type': 'application/json'}


@pytest.fixture(scope='module')
def iris(tmp_path_factory):
    from server import Server

    folder = tmp_path_factory.mktemp('iris')
    (folder / 'entrypoint.py').write_text(AREA)
    (folder / 'slipway.json').write_text(json.dumps({'dtypes': ['float64', 'float64']}))
    (folder / 'samples').mkdir()
    (folder / 'samples' / 'input.json').write_text(json.dumps(SAMPLES[0]))
    (folder / 'samples' / 'output.json').write_text(json.dumps(SAMPLES[1]))
    server = Server(str(folder), {'MAX_BODY_BYTES': 2000}).wait_until_ready()
    yield server
    server.close()


def message(reply, status):
    assert (reply.status, reply.headers['content-type']) == (status, 'application/json')
    return reply.json['message']


def test_a_valid_request(iris):
    reply = iris.invoke({'columns': COLUMNS, 'data': [[2, 3], [1.5, 4]]})
    assert (reply.status, reply.json) == (200, {'prediction': [6, 6.0], 'columns': ['area']})
    assert (reply.headers['model-name'], reply.headers['model-version']) == ('iris', '1.0')


def test_the_request_id_is_kept(iris):
    assert iris.invoke({'data': [[1, 2]]}, {'Request-Id': 'mine/1'}).headers['request-id'] == 'mine/1'
    assert iris.invoke({}, {'Request-Id': 'mine/2'}).headers['request-id'] == 'mine/2'


def test_a_request_id_is_made_when_there_is_none(iris):
    made = [iris.invoke({'data': [[1, 2]]}).headers['request-id'] for _ in range(2)]
    assert made[0] != made[1] and all(str(uuid.UUID(text)) == text for text in made)


def test_columns_in_another_order_and_extra_ones(iris):
    reply = iris.invoke({'columns': ['color', 'sepal_width', 'sepal_length'], 'data': [['red', 10, 2], ['blue', 1, 7]]})
    assert reply.json['prediction'] == [20, 7]


def test_without_columns_rows_are_positional(iris):
    assert iris.invoke({'data': [[2, 3]]}).json['prediction'] == [6]
    assert iris.invoke({'columns': None, 'data': [[2, 3]]}).json['prediction'] == [6]


def test_an_empty_body(iris):
    reply = iris.request('POST', INVOKE, '', JSON)
    assert message(reply, 400) == 'Please provide data with this POST request'


@pytest.mark.parametrize(
    'body', [b'{', b'\xff\xfe', b'{"data": NaN}', b'[' * 100000, b'{"data": [[1' + b'0' * 500 + b'e]]}', b'nul', b'\xef\xbb\xbf{}']
)
def test_what_is_not_json(iris, body):
    assert message(iris.request('POST', INVOKE, body[:1999], JSON), 400).startswith('Can not parse input as JSON: ')


@pytest.mark.parametrize('body', ['[]', '1', 'null', '"x"', 'true'])
def test_what_is_not_an_object(iris, body):
    assert message(iris.request('POST', INVOKE, body, JSON), 400) == 'Request body must be a JSON object'


@pytest.mark.parametrize('document', [{}, {'data': []}, {'data': None}, {'data': 'x'}, {'data': {'a': 1}}, {'columns': COLUMNS}])
def test_a_missing_matrix(iris, document):
    assert message(iris.invoke(document), 400) == 'Matrix is not provided'


@pytest.mark.parametrize(
    'document, expected',
    [
        ({'data': [[1, 2], [3]]}, 'row 1 has 1 values, expected 2'),
        ({'data': [[1, 2, 3]]}, 'row 0 has 3 values, expected 2'),
        ({'data': [[1, 2], 3]}, 'row 1 is not an array'),
        ({'columns': COLUMNS, 'data': [[1]]}, 'row 0 has 1 values, expected 2'),
        ({'columns': ['sepal_length'], 'data': [[1]]}, 'required column "sepal_width" is missing'),
        ({'columns': [], 'data': [[]]}, 'row 0 is empty'),
        ({'columns': ['a', 'a'], 'data': [[1, 1]]}, 'column "a" is given twice'),
        ({'columns': 'ab', 'data': [[1, 1]]}, 'columns must be an array of strings'),
        ({'columns': [1, 2], 'data': [[1, 1]]}, 'columns must be an array of strings'),
        ({'data': [[1, 2], [1, 'x']]}, 'row 1, column "sepal_width": expected a number, got "x"'),
        ({'data': [[1, True]]}, 'row 0, column "sepal_width": expected a number, got true'),
        ({'data': [[None, 1]]}, 'row 0, column "sepal_length": expected a number, got null'),
        ({'data': [[1, [2]]]}, 'row 0, column "sepal_width": expected a number, got an array'),
        ({'data': [[1, {'a': 2}]]}, 'row 0, column "sepal_width": expected a number, got an object'),
        ({'data': [[1, '\ud800']]}, 'row 0, column "sepal_width": expected a number, got "\\ud800"'),
        ({'data': [[1, 'ü' * 200]]}, 'row 0, column "sepal_width": expected a number, got "' + 'ü' * 96 + '...'),
        ({'data': [[1, 10**400]]}, 'row 0, column "sepal_width": expected a number, got 1' + '0' * 96 + '...'),
    ],
)
def test_a_matrix_that_does_not_fit_is_named_by_row_and_column(iris, document, expected):
    assert message(iris.invoke(document), 400) == expected


def test_a_number_beyond_the_range_is_refused(iris):
    reply = iris.request('POST', INVOKE, '{"data": [[1e999, 1]]}', JSON)
    assert message(reply, 400).startswith('row 0, column "sepal_length": expected a number')


def test_a_sum_that_overflows_is_still_a_valid_row(iris):
    reply = iris.invoke({'data': [[1.7e308, 1.7e308]]})
    assert (reply.status, reply.json['prediction']) == (200, [None])


@pytest.mark.parametrize('path', ['/', '/api', '/api/model', '/api/model/invoke/x', '/v2/models/other', '/%00', '/api/model/infox'])
def test_an_unknown_path_is_404(iris, path):
    assert message(iris.get(path), 404) == 'No such path'


@pytest.mark.parametrize(
    'method, path, allowed',
    [
        ('GET', INVOKE, 'POST'),
        ('PUT', INVOKE, 'POST'),
        ('POST', '/api/model/info', 'GET, HEAD'),
        ('DELETE', '/healthz/live', 'GET, HEAD'),
        ('BREW', '/invocations', 'POST'),
        ('OPTIONS', INVOKE, 'POST'),
    ],
)
def test_a_wrong_method_is_405_with_allow(iris, method, path, allowed):
    reply = iris.request(method, path)
    assert message(reply, 405) == 'Method {} is not allowed here'.format(method)
    assert reply.headers['allow'] == allowed


def test_head_is_get_without_a_body(iris):
    reply = iris.request('HEAD', '/healthcheck')
    assert (reply.status, reply.body) == (200, b'')


def test_a_body_too_large_is_413(iris):
    big = json.dumps({'data': [[1, 2]] * 500})
    assert 'larger than 2000 bytes' in message(iris.request('POST', INVOKE, big, JSON), 413)
    chunks = (big[at : at + 100].encode() for at in range(0, len(big), 100))
    assert message(iris.request('POST', INVOKE, chunks, JSON), 413) == 'Request body is larger than 2000 bytes'


def test_a_chunked_body_is_read_whole(iris):
    body = json.dumps({'data': [[1, 2]] * 50}).encode()
    reply = iris.request('POST', INVOKE, (body[at : at + 7] for at in range(0, len(body), 7)), JSON)
    assert reply.json['prediction'] == [2] * 50


@pytest.mark.parametrize('kind', ['text/plain', 'text/csv', 'application/x-www-form-urlencoded', 'application/jsonx'])
def test_another_content_type_is_415(iris, kind):
    reply = iris.request('POST', INVOKE, '{"data": [[1, 2]]}', {'content-type': kind})
    assert kind in message(reply, 415)


@pytest.mark.parametrize('headers', [{}, {'content-type': 'Application/JSON; charset=utf-8'}, {'content-type': 'application/vnd.x+json'}])
def test_json_and_no_content_type_are_accepted(iris, headers):
    assert iris.request('POST', INVOKE, '{"data": [[1, 2]]}', headers).status == 200


@pytest.mark.parametrize(
    'source, expected',
    [
        (returning('1 / 0'), 'Exception during prediction: division by zero'),
        (returning('exec("raise SystemExit(3)")'), 'Exception during prediction: 3'),
        (returning('5'), 'Exception during prediction: the result is a int, expected rows'),
        (returning('numpy.zeros((2, 2, 2))', 'import numpy\n'), 'Exception during prediction: the result has 3 dimensions, expected 1 or 2'),
        (returning('numpy.float64(1)', 'import numpy\n'), 'Exception during prediction: the result has 0 dimensions, expected 1 or 2'),
        (returning('[[[1]]]'), 'Exception during prediction: the result has more than 2 dimensions'),
        (returning('[object]'), 'Exception during prediction: Object of type type is not JSON serializable'),
        (PLAIN.format('[1]').replace(", ('x',)", ''), 'Exception during prediction: not enough values to unpack'),
    ],
)
def test_a_model_that_fails_is_500_with_the_traceback_only_in_the_log(serve, source, expected):
    server = serve(source)
    reply = server.invoke({'data': [[1]]}, {'Request-Id': 'failing'})
    assert message(reply, 500).startswith(expected)
    assert (reply.headers['request-id'], reply.headers['model-name']) == ('failing', 'iris')
    assert 'Traceback' not in reply.body.decode() and 'Traceback' in server.log()
    assert server.get('/healthz/ready').status == 200


@pytest.mark.parametrize(
    'expression, imports, expected',
    [
        ('numpy.array([1.5, numpy.nan, numpy.inf])', 'import numpy\n', [1.5, None, None]),
        ('[[float("nan"), 1], [2, -float("inf")]]', '', [[None, 1], [2, None]]),
        ('numpy.array([[1, 2]], dtype="int64")', 'import numpy\n', [[1, 2]]),
        ('[numpy.float32(0.5), numpy.int8(3), numpy.bool_(True)]', 'import numpy\n', [0.5, 3, True]),
        ('pandas.DataFrame({"a": [1.0, None], "b": [1.0, 2.0]})', 'import pandas\n', [[1.0, 1.0], [None, 2.0]]),
        ('pandas.Series(["x", "y"])', 'import pandas\n', ['x', 'y']),
        ('numpy.array(["a", "b"])', 'import numpy\n', ['a', 'b']),
        ('[9007199254740993]', '', [9007199254740993]),
        ('((1, 2), (3, 4))', '', [[1, 2], [3, 4]]),
    ],
)
def test_every_shape_of_result(serve, expression, imports, expected):
    reply = serve(returning(expression, imports)).invoke({'data': [[1]]})
    assert (reply.status, reply.json) == (200, {'prediction': expected, 'columns': ['x']})


def test_the_entry_points_own_serializer_is_used(serve):
    source = returning('[complex(1, 2)]') + (
        'import json\n'
        'class Serializer(json.JSONEncoder):\n'
        '    def default(self, o): return [o.real, o.imag]\n'
        'def get_output_json_serializer(): return Serializer\n'
    )
    assert serve(source).invoke({'data': [[1]]}).json['prediction'] == [[1.0, 2.0]]


TYPED = """
def init(): return 'matrix'
def info():
    columns = [('n', 'number', False), ('i', 'integer', True), ('s', 'string', True), ('b', 'boolean', True)]
    inputs = [{'name': name, 'type': kind, 'required': required, 'example': None} for name, kind, required in columns]
    inputs[1]['format'] = 'int32'
    return inputs, []
def predict_on_matrix(rows, provided_columns_names=None): return [repr(row) for row in rows], ('row',)
"""


def test_cells_take_the_type_of_their_column(serve):
    server = serve(TYPED, settings={'dtypes': ['float64', 'int32', 'string', 'bool']})
    reply = server.invoke({'data': [[None, 5.0, 'x', True]]})
    assert reply.json['prediction'] == ["[None, 5, 'x', True]"]
    reply = server.invoke({'columns': ['b', 's', 'i'], 'data': [[False, '', -1]]})
    assert reply.json['prediction'] == ["[None, -1, '', False]"]
    for row, expected in [
        ([1, 5.5, 'x', True], 'row 0, column "i": expected an integer, got 5.5'),
        ([1, 2**31, 'x', True], 'row 0, column "i": expected an integer, got 2147483648'),
        ([1, True, 'x', True], 'row 0, column "i": expected an integer, got true'),
        ([1, 1, 1, True], 'row 0, column "s": expected a string, got 1'),
        ([1, 1, 'x', 0], 'row 0, column "b": expected a boolean, got 0'),
        ([1, 1, 'x', None], 'row 0, column "b": expected a boolean, got null'),
    ]:
        assert message(server.invoke({'data': [row]}), 400) == expected


def test_a_description_written_by_hand_orders_the_columns_and_refuses_no_type(serve):
    server = serve(TYPED)
    reply = server.invoke({'columns': ['b', 's', 'i', 'n'], 'data': [['no', 1.0, 5.5, 'x'], [None, True, '', 2]]})
    assert reply.json['prediction'] == ["['x', 5.5, 1.0, 'no']", "[2, '', True, None]"]
    missing = server.invoke({'columns': ['n', 's'], 'data': [[1, 2]]})
    assert message(missing, 400) == 'required column "i" is missing'
    assert message(server.invoke({'data': [[1, 2, [3], 4]]}), 400) == 'row 0, column "s": expected a single value, got an array'
