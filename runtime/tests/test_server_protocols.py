"""The Open Inference Protocol and MLflow's scoring give the numbers of invoke; health, version and metrics."""
import pytest
from iris import AREA, COLUMNS, SAMPLES, returning

ROWS = [[1.5, 2.0], [3.0, 4.0]]
INFER = '/v2/models/iris/infer'


@pytest.fixture
def iris(serve):
    return serve(AREA, SAMPLES)


def test_infer_with_one_tensor(iris):
    expected = iris.invoke({'data': ROWS}).json['prediction']
    tensor = {'name': 'predict', 'shape': [2, 2], 'datatype': 'FP64'}
    for data in (ROWS, [1.5, 2.0, 3.0, 4.0]):
        for path in (INFER, '/v2/models/iris/versions/1.0/infer'):
            reply = iris.post(path, {'id': 'abc', 'inputs': [dict(tensor, data=data)]})
            assert reply.status == 200
            output = {'name': 'predict', 'shape': [2], 'datatype': 'FP64', 'data': expected}
            assert reply.json == {'model_name': 'iris', 'model_version': '1.0', 'id': 'abc', 'outputs': [output]}


def test_infer_with_a_tensor_per_column_in_any_order(iris):
    tensors = [
        {'name': 'sepal_width', 'shape': [2, 1], 'datatype': 'FP32', 'data': [[2.0], [4.0]]},
        {'name': 'sepal_length', 'shape': [2], 'datatype': 'FP64', 'data': [1.5, 3.0]},
    ]
    reply = iris.post(INFER, {'inputs': tensors})
    assert reply.json['outputs'] == [{'name': 'area', 'shape': [2], 'datatype': 'FP64', 'data': [3.0, 12.0]}]
    assert 'id' not in reply.json


@pytest.mark.parametrize(
    'inputs, expected',
    [
        (None, 'Matrix is not provided'),
        ([{'shape': [1]}], 'every input needs a name'),
        ([{'name': 'a'}], 'tensor "a" needs a shape of positive integers'),
        ([{'name': 'a', 'shape': [0], 'datatype': 'FP64', 'data': []}], 'tensor "a" needs a shape of positive integers'),
        ([{'name': 'a', 'shape': [1], 'datatype': 'X', 'data': [1]}], 'tensor "a" has an unknown datatype "X"'),
        ([{'name': 'a', 'shape': [1], 'data': [1]}], 'tensor "a" has an unknown datatype null'),
        ([{'name': 'a', 'shape': [2], 'datatype': 'FP64', 'data': [1]}], 'tensor "a" has 1 values, its shape needs 2'),
        ([{'name': 'a', 'shape': [1], 'datatype': 'INT64', 'data': [1.5]}], 'tensor "a" holds a value that is not INT64'),
        ([{'name': 'a', 'shape': [1], 'datatype': 'FP64', 'data': 1}], 'tensor "a" needs data, an array'),
        (
            [{'name': name, 'shape': [size], 'datatype': 'FP64', 'data': [1] * size} for name, size in zip(COLUMNS, (1, 2))],
            'the tensors have different numbers of rows',
        ),
        ([{'name': 'sepal_width', 'shape': [1], 'datatype': 'FP64', 'data': [1]}], 'required column "sepal_length" is missing'),
    ],
)
def test_infer_errors_carry_error_and_message(iris, inputs, expected):
    reply = iris.post(INFER, {'inputs': inputs})
    assert (reply.status, reply.json) == (400, {'message': expected, 'error': expected})


def test_output_datatypes(serve):
    tensor = {'name': 'predict', 'shape': [1, 1], 'datatype': 'FP64', 'data': [1]}
    for expression, datatype, shape in [('["a"]', 'BYTES', [1]), ('[True]', 'BOOL', [1]), ('[[1, 2]]', 'INT64', [1, 2])]:
        output = serve(returning(expression)).post(INFER, {'inputs': [tensor]}).json['outputs'][0]
        assert (output['datatype'], output['shape']) == (datatype, shape)


def test_v2_metadata_and_health(iris):
    assert iris.get('/v2').json['name'] == 'slipway'
    model = iris.get('/v2/models/iris').json
    assert (model['name'], model['versions']) == ('iris', ['1.0'])
    assert model['inputs'] == [{'name': name, 'datatype': 'FP64', 'shape': [-1]} for name in COLUMNS]
    for path in ('/v2/health/live', '/v2/health/ready', '/v2/models/iris/ready', '/v2/models/iris/versions/1.0/ready'):
        assert iris.get(path).status == 200
    assert iris.get('/v2/models/iris/versions/2').json == {'message': 'No such path', 'error': 'No such path'}


@pytest.mark.parametrize(
    'document',
    [
        {'dataframe_split': {'columns': COLUMNS, 'data': ROWS, 'index': [0, 1]}},
        {'dataframe_split': {'columns': COLUMNS[::-1], 'data': [row[::-1] for row in ROWS]}},
        {'dataframe_split': {'data': ROWS}},
        {'dataframe_records': [dict(zip(COLUMNS, row)) for row in ROWS]},
        {'instances': ROWS},
        {'instances': [dict(zip(COLUMNS, row)) for row in ROWS]},
        {'inputs': ROWS},
        {'inputs': {'sepal_length': [1.5, 3.0], 'sepal_width': [[2.0], [4.0]]}},
    ],
)
def test_invocations_in_every_form(iris, document):
    reply = iris.post('/invocations', document)
    assert (reply.status, reply.json) == (200, {'predictions': iris.invoke({'data': ROWS}).json['prediction']})


def test_invocations_as_csv(iris):
    csv = 'sepal_width,sepal_length,note\r\n2.0,1.5,"a,b"\r\n4,3,\r\n'
    reply = iris.request('POST', '/invocations', csv, {'content-type': 'text/csv; charset=utf-8'})
    assert (reply.status, reply.json) == (200, {'predictions': [3.0, 12]})


@pytest.mark.parametrize(
    'document, expected',
    [
        ({}, 'Send exactly one of dataframe_split, dataframe_records, instances, inputs'),
        ({'instances': ROWS, 'inputs': ROWS}, 'Send exactly one of dataframe_split, dataframe_records, instances, inputs'),
        ({'instances': ROWS, 'params': {'a': 1}}, 'params are not supported'),
        ({'dataframe_split': ROWS}, 'dataframe_split must be an object with columns and data'),
        ({'dataframe_records': []}, 'Matrix is not provided'),
        ({'dataframe_records': [{'sepal_length': 1}]}, 'required column "sepal_width" is missing'),
        ({'dataframe_records': [{'a': 1}, 2]}, 'row 1 is not an object'),
        ({'inputs': {'a': [1], 'b': [1, 2]}}, 'the columns of inputs have different lengths'),
        ({'inputs': {'a': 1}}, 'inputs of column "a" are not an array'),
    ],
)
def test_invocations_errors_carry_an_error_code(iris, document, expected):
    reply = iris.post('/invocations', document)
    assert (reply.status, reply.json) == (400, {'message': expected, 'error_code': 'BAD_REQUEST'})


@pytest.mark.parametrize(
    'body, expected',
    [
        (b'', 'Please provide data with this POST request'),
        (b'sepal_length,sepal_width\n', 'Matrix is not provided'),
        (b'sepal_length,sepal_width\n1,x\n', 'row 0, column "sepal_width": expected a number, got "x"'),
        (b'sepal_length,sepal_width\n1\n', 'row 0 has 1 values, expected 2'),
        (b'sepal_length,sepal_width\n1,nan\n', 'row 0, column "sepal_width": expected a number, got a number that is not finite'),
    ],
)
def test_csv_that_does_not_fit_is_400(iris, body, expected):
    reply = iris.request('POST', '/invocations', body, {'content-type': 'text/csv'})
    assert (reply.status, reply.json['message']) == (400, expected)


def test_health_ping_and_version(iris):
    assert iris.get('/healthcheck').json == {'status': True}
    for path in ('/healthz/live', '/healthz/ready', '/ping'):
        assert iris.get(path).status == 200
    assert iris.get('/version').body.decode().count('.') == 2


def test_metrics_count_by_status(iris):
    iris.invoke({'data': ROWS})
    iris.invoke({})
    iris.get('/none')
    lines = iris.get('/metrics').body.decode().splitlines()
    assert 'slipway_server_requests_total{code="400"} 1' in lines
    assert 'slipway_server_requests_total{code="404"} 1' in lines
    assert 'slipway_server_in_flight 1' in lines
    count = next(line for line in lines if line.startswith('slipway_server_request_seconds_count'))
    assert int(count.split()[1]) >= 4


def test_metrics_sum_over_all_workers(serve):
    server = serve(AREA, SAMPLES, WORKERS=2)
    for _ in range(40):
        assert server.invoke({'data': ROWS}).status == 200
    # Ready checks of the start count too, and nothing else does.
    lines = server.get('/metrics').body.decode().splitlines()
    total = next(line for line in lines if line.startswith('slipway_server_requests_total{code="200"}'))
    assert int(total.split()[1]) == 41


def test_binary_tensors_are_refused_with_what_to_send_instead(iris):
    reply = iris.request('POST', INFER, b'{}\x00\x01', {'inference-header-content-length': '2'})
    assert (reply.status, reply.json['error']) == (
        400,
        'binary tensor data is not supported: send the tensors as JSON, binary_data=False in tritonclient',
    )
