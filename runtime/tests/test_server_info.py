import pytest
from iris import AREA, COLUMNS, SAMPLES, returning
from openapi_spec_validator import OpenAPIV2SpecValidator, OpenAPIV30SpecValidator

INFO = '/api/model/info'


@pytest.fixture
def iris(serve):
    return serve(AREA, SAMPLES)


def test_the_openapi_form(iris):
    document = iris.get(INFO).json
    OpenAPIV30SpecValidator(document).validate()
    assert (document['openapi'], document['info']) == ('3.0.3', {
        'title': 'iris',
        'version': '1.0',
        'description': 'This is a EDI server.',
    })
    assert set(document['paths']) == {'/api/model/info', '/api/model/invoke'}
    request = document['components']['schemas']['Request']['properties']
    assert request['columns']['items']['enum'] == COLUMNS
    assert request['data']['items']['items'] == {'type': 'number'}
    content = document['paths']['/api/model/invoke']['post']
    assert content['requestBody']['content']['application/json']['example'] == SAMPLES[0]
    assert content['responses']['200']['content']['application/json']['example'] == SAMPLES[1]
    assert document['x-slipway'] == {'hasSamples': True}
    assert document['servers'] == [{'url': '/'}]


def test_the_swagger_form(iris):
    document = iris.get(INFO + '?format=swagger2', {'X-Forwarded-Prefix': '/model/iris/'}).json
    OpenAPIV2SpecValidator(document).validate()
    assert (document['swagger'], document['basePath']) == ('2.0', '/model/iris')
    assert document['definitions']['Request']['example'] == SAMPLES[0]


def test_the_address_is_the_one_the_gateway_forwards(iris):
    document = iris.get(INFO, {'X-Forwarded-Prefix': '/model/"iris"'}).json
    assert document['servers'] == [{'url': '/model/"iris"'}]


def test_a_model_without_samples_says_so(serve):
    server = serve(returning('[1]'))
    for query, validator in (('', OpenAPIV30SpecValidator), ('?format=swagger2', OpenAPIV2SpecValidator)):
        document = server.get(INFO + query).json
        validator(document).validate()
        assert document['x-slipway'] == {'hasSamples': False}


def test_an_unknown_form_is_400(iris):
    assert iris.get(INFO + '?format=raml').json == {'message': 'format must be openapi or swagger2'}


def test_columns_of_several_types_are_described(serve):
    source = (
        "def init(): return 'matrix'\n"
        "def predict_on_matrix(rows, provided_columns_names=None): return [1], ('x',)\n"
        "def info(): return [{'name': 'a', 'type': 'string', 'required': True}, {'name': 'b', 'type': 'integer', 'required': False}], []\n"
    )
    server = serve(source)
    for query, validator in (('', OpenAPIV30SpecValidator), ('?format=swagger2', OpenAPIV2SpecValidator)):
        validator(server.get(INFO + query).json).validate()
    cell = server.get(INFO).json['components']['schemas']['Request']['properties']['data']['items']['items']
    assert cell == {'anyOf': [{'type': 'integer'}, {'type': 'string'}], 'nullable': True}
