"""Describes the inputs of a model: from its signature, from a table of rows, or from names alone."""

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
    """columns: {name, type, format?, required} each; dtypes beside them, empty when only names are known.

    form: frame or array.
    """

    def __init__(self, columns, dtypes, form):
        self.columns = columns
        self.dtypes = dtypes
        self.form = form

    def is_numeric(self):
        return bool(self.dtypes) and all(column['type'] in ('number', 'integer') for column in self.columns)

    def types_of_a_row_are_its_own(self):
        """Whether the cells of one row never change the types that another row of the same frame gets."""
        return bool(self.dtypes) and all(dtype in NUMERIC + ('bool', 'string') for dtype in self.dtypes)


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


def table_inputs(table):
    """The inputs that a frame or a 2-D array of rows shows. The array has no names: x0, x1, ..."""
    if not hasattr(table, 'columns'):
        rows = [_from_values(table[:, index]) for index in range(table.shape[1])]
        names = ['x{}'.format(index) for index in range(table.shape[1])]
    else:
        rows = [_from_values(table.iloc[:, index]) for index in range(table.shape[1])]
        names = [str(name) for name in table.columns]
    if None in rows:
        return named_inputs(names)
    described = [_column(name, row[1], row[2], required) for name, (row, required) in zip(names, rows)]
    return Inputs(described, [row[0] for row, _ in rows], 'frame' if hasattr(table, 'columns') else 'array')


def named_inputs(names):
    """Names without types: the type of the description is a guess, and no cell is checked against it."""
    return Inputs([_column(name, 'number', None, True) for name in names], [], 'frame')


def table_rows(table, inputs):
    """The first rows of a frame or array in the order of the inputs, or None when columns are missing."""
    names = [column['name'] for column in inputs.columns]
    if hasattr(table, 'columns'):
        table = table.rename(columns=str)
        if not names or not set(names) <= set(table.columns):
            return None
        table = table[names].head(SAMPLE_ROWS).to_numpy(dtype=object)
    elif table.shape[1] != len(names):
        return None
    return table[:SAMPLE_ROWS] if len(table) else None


def _from_values(values):
    """(row of TYPES, whether no value is missing) of a column, or None when its values have no common type."""
    # NaN, NaT and NA are not equal to themselves.
    present = [value for value in values.tolist() if value is not None and (value == value) is True]
    required = len(present) == len(values)
    kind = values.dtype.kind
    if kind == 'f':
        return TYPES['float' if values.dtype.itemsize == 4 else 'double'], required
    if kind in 'iu':
        # A few whole numbers do not prove that the model takes no others.
        return ('object', 'number', None), required
    if kind == 'b':
        return TYPES['boolean'], required
    if kind == 'M':
        return TYPES['datetime'], required
    return (TYPES['string'], required) if all(isinstance(value, str) for value in present) else None


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
