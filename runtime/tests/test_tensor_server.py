"""A model of the interchange format behind the Open Inference Protocol v2."""
import pytest
from onnx_bytes import FLOAT, INT64, doubled
from server import Server

INFER = '/v2/models/twice/infer'
X = {'name': 'x', 'shape': [2, 2], 'datatype': 'FP32', 'data': [[1, 2], [3.5, 4]]}


@pytest.fixture(scope='module')
def start(tmp_path_factory):
    started = []

    def serve(content, place='model.onnx', ready=True):
        root = tmp_path_factory.mktemp('repository')
        path = root / 'twice' / '3' / place
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        environment = {'MODEL_REPOSITORY': str(root), 'MODEL_NAME': 'twice', 'MODEL_VERSION': '3'}
        server = Server(str(path.parent), environment)
        started.append(server)
        return server.wait_until_ready(path='/v2/health/ready') if ready else server

    yield serve
    for server in started:
        server.close()


@pytest.fixture(scope='module')
def twice(start):
    return start(doubled())


def test_infer_answers_with_tensors(twice):
    output = {'name': 'y', 'shape': [2, 2], 'datatype': 'FP32', 'data': [2.0, 4.0, 7.0, 8.0]}
    for path in (INFER, '/v2/models/twice/versions/3/infer'):
        reply = twice.post(path, {'id': 'a', 'inputs': [X], 'outputs': [{'name': 'y'}]})
        assert (reply.status, reply.json) == (200, {'model_name': 'twice', 'model_version': '3', 'id': 'a', 'outputs': [output]})


def test_the_model_is_described(twice):
    tensor = {'datatype': 'FP32', 'shape': [-1, 2]}
    assert twice.get('/v2/models/twice').json == {
        'name': 'twice',
        'versions': ['3'],
        'platform': 'onnxruntime_onnx',
        'inputs': [dict(tensor, name='x')],
        'outputs': [dict(tensor, name='y')],
    }
    for path in ('/v2', '/v2/health/live', '/v2/health/ready', '/v2/models/twice/ready', '/v2/models/twice/versions/3/ready'):
        assert twice.get(path).status == 200
    for path in ('/v2/models/other', '/v2/models/twice/versions/1', '/api/model/info'):
        assert twice.get(path).status == 404


@pytest.mark.parametrize(
    'document, message',
    [
        ({}, 'inputs must be an array of tensors'),
        ({'inputs': []}, 'input "x" is missing'),
        ({'inputs': [X, X]}, 'input "x" is given twice'),
        ({'inputs': [dict(X, name='z')]}, 'the model has no input "z", but "x"'),
        ({'inputs': [dict(X, datatype='FP64')]}, 'input "x" has datatype FP64, expected FP32'),
        ({'inputs': [dict(X, shape=[4])]}, 'input "x" has shape [4], expected [-1, 2]'),
        ({'inputs': [dict(X, shape=[1, 4])]}, 'input "x" has shape [1, 4], expected [-1, 2]'),
        ({'inputs': [dict(X, data=[1, 2, 3])]}, 'tensor "x" has 3 values, its shape needs 4'),
        ({'inputs': [dict(X, data=[1, 2, 3, None])]}, 'input "x" holds null'),
        ({'inputs': [dict(X, data=[1, 2, 3, '4'])]}, 'tensor "x" holds a value that is not FP32'),
        ({'inputs': [X], 'outputs': ['y']}, 'outputs must be an array of objects with a name'),
        ({'inputs': [X], 'outputs': [{'name': 'z'}]}, 'the model has no output "z", but "y"'),
    ],
)
def test_a_request_that_does_not_fit_is_400_and_says_why(twice, document, message):
    reply = twice.post(INFER, document)
    assert (reply.status, reply.json['error']) == (400, message)


def test_whole_numbers_stay_exact_and_a_folder_holds_the_model_too(start):
    server = start(doubled(INT64), 'model.onnx/model.onnx')
    tensor = {'name': 'x', 'shape': [1, 2], 'datatype': 'INT64', 'data': [2**62 - 1, 1]}
    assert server.post(INFER, {'inputs': [tensor]}).json['outputs'][0]['data'] == [2**63 - 2, 2]
    assert server.post(INFER, {'inputs': [dict(tensor, data=[2**63, 1])]}).status == 400


@pytest.mark.parametrize('content', [b'no model', doubled(FLOAT, 'Nothing')])
def test_a_model_that_cannot_be_loaded_ends_the_server(start, content):
    assert start(content, ready=False).process.wait(timeout=60) == 3
