"""What a logged MLflow model says about its inputs: names, types, the example, and whether native serving may work."""

# MLflow type to dtype of the frame, type and format in the model's description.
TYPES = {
    'double': ('float64', 'number', 'double'),
    'float': ('float32', 'number', 'float'),
    'long': ('int64', 'integer', 'int64'),
    'integer': ('int32', 'integer', 'int32'),
    'string': ('string', 'string', None),
    'boolean': ('bool', 'boolean', None),
    'datetime': ('datetime', 'string', 'date-time'),
}
SAMPLE_ROWS = 5
NUMERIC = ('float64', 'float32', 'int64', 'int32')


class Inputs(object):
    """columns: {name, type, format?, required} each; dtypes beside them; form: frame or array."""

    def __init__(self, columns, dtypes, form):
        self.columns = columns
        self.dtypes = dtypes
        self.form = form

    def is_numeric(self):
        return bool(self.columns) and all(dtype in NUMERIC for dtype in self.dtypes)


NOTHING = Inputs([], [], 'frame')


def signature_inputs(model):
    """The inputs of a loaded MLmodel; nothing when there is no signature of flat columns or one 2-D tensor."""
    schema = model.signature.inputs if model.signature is not None else None
    if schema is None:
        return NOTHING
    if schema.is_tensor_spec():
        return _tensor(schema.inputs)
    columns, dtypes = [], []
    for index, column in enumerate(schema.inputs):
        known = TYPES.get(getattr(column.type, 'name', ''))
        if known is None:
            return NOTHING
        name = 'x{}'.format(index) if column.name is None else str(column.name)
        columns.append(_column(name, known[1], known[2], bool(column.required)))
        dtypes.append(known[0])
    return Inputs(columns, dtypes, 'frame')


def _tensor(specs):
    if len(specs) != 1 or specs[0].name is not None or len(specs[0].shape) != 2 or specs[0].shape[1] < 1:
        return NOTHING
    dtype = str(specs[0].type)
    known = next((row for row in TYPES.values() if row[0] == dtype and dtype in NUMERIC), None)
    if known is None:
        return NOTHING
    width = specs[0].shape[1]
    columns = [_column('x{}'.format(index), known[1], known[2], True) for index in range(width)]
    return Inputs(columns, [dtype] * width, 'array')


def _column(name, kind, form, required):
    column = {'name': name, 'type': kind, 'required': required}
    return dict(column, format=form) if form is not None else column


def example_rows(model, folder, inputs):
    """The first rows of the logged example as lists of JSON values, or None without a usable one."""
    if not inputs.columns or model.saved_input_example_info is None:
        return None
    example = model.load_input_example(folder)
    if hasattr(example, 'columns'):
        names = [str(name) for name in example.columns]
        if names != [column['name'] for column in inputs.columns]:
            return None
        example = example.head(SAMPLE_ROWS).to_numpy(dtype=object)
    elif getattr(example, 'ndim', None) == 2:
        example = example[:SAMPLE_ROWS]
    else:
        return None
    return example if len(example) else None


def native_settings(model, inputs):
    """What loading the estimator itself needs, or None when the model is not a numeric scikit-learn model."""
    sklearn = model.flavors.get('sklearn')
    pyfunc = model.flavors.get('python_function', {})
    if sklearn is None or pyfunc.get('loader_module') != 'mlflow.sklearn' or not inputs.is_numeric():
        return None
    return {
        'file': sklearn['pickled_model'],
        'format': sklearn.get('serialization_format', 'pickle'),
        'trusted': sklearn.get('skops_trusted_types'),
        'code': sklearn.get('code'),
        'predictFn': pyfunc.get('predict_fn', 'predict'),
        'dtype': 'float32' if set(inputs.dtypes) == {'float32'} else 'float64',
    }
