"""Entry points for server tests, as source, and the sample that goes with them."""

INFO = """
def init():
    return 'matrix'

def info():
    names = ('sepal_length', 'sepal_width')
    inputs = [{'name': name, 'type': 'number', 'example': 1.5, 'required': True} for name in names]
    return inputs, [{'name': 'area', 'type': 'number', 'example': 3.0, 'required': True}]
"""
AREA = INFO + """
def predict_on_matrix(rows, provided_columns_names=None):
    return [length * width for length, width in rows], ('area',)
"""
COLUMNS = ['sepal_length', 'sepal_width']
SAMPLES = ({'columns': COLUMNS, 'data': [[1.5, 2.0]]}, {'prediction': [3.0], 'columns': ['area']})
# Of slipway.json: the types of the columns were taken from the model, so cells are checked.
TYPED = {'dtypes': ['float64', 'float64']}
PLAIN = """
def init():
    return 'matrix'

def predict_on_matrix(rows, provided_columns_names=None):
    return {}, ('x',)
"""


def returning(expression, imports=''):
    """An entry point without description whose prediction is the expression over `rows`."""
    return imports + PLAIN.format(expression)
