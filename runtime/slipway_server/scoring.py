"""MLflow's scoring protocol: /invocations takes JSON in four forms, or CSV."""
import csv
import io
from itertools import zip_longest

from .body import media_type, parse_object, require_json
from .errors import bad_request

FORMS = ('dataframe_split', 'dataframe_records', 'instances', 'inputs')


def parse_invocations(environ, body, inputs):
    """(names or None, rows) of a scoring request. @raises HttpError 400, 415"""
    if media_type(environ) == 'text/csv':
        return _csv(body, inputs)
    require_json(environ)
    document = parse_object(body)
    given = [form for form in FORMS if form in document]
    if len(given) != 1:
        raise bad_request('Send exactly one of {}'.format(', '.join(FORMS)))
    if document.get('params'):
        raise bad_request('params are not supported')
    value = document[given[0]]
    if given[0] == 'dataframe_split':
        if not isinstance(value, dict):
            raise bad_request('dataframe_split must be an object with columns and data')
        return value.get('columns'), value.get('data')
    if isinstance(value, dict) and given[0] == 'inputs':
        return _columns(value)
    return _records(value)


def _records(value):
    """A list of objects, or of rows. Objects may leave columns out: those are null."""
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return None, value
    names = list(value[0])
    known = set(names)
    for index, record in enumerate(value):
        if not isinstance(record, dict):
            raise bad_request('row {} is not an object'.format(index))
        names.extend(name for name in record if name not in known)
        known.update(record)
    return names, [[record.get(name) for name in names] for record in value]


def _columns(value):
    """Column name to its values; a column may also be written as one-value rows."""
    columns = []
    for name, cells in value.items():
        if not isinstance(cells, list) or not cells:
            raise bad_request('inputs of column "{}" are not an array'.format(name))
        if all(isinstance(cell, list) and len(cell) == 1 for cell in cells):
            cells = [cell[0] for cell in cells]
        columns.append(cells)
    if len({len(cells) for cells in columns}) > 1:
        raise bad_request('the columns of inputs have different lengths')
    return list(value), [list(row) for row in zip(*columns)]


def _csv(body, inputs):
    if not body:
        raise bad_request('Please provide data with this POST request')
    try:
        table = [row for row in csv.reader(io.StringIO(body.decode('utf-8'), newline=''), strict=True) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise bad_request('Can not parse input as CSV: {}'.format(error))
    if len(table) < 2:
        raise bad_request('Matrix is not provided: send at least one row')
    kinds = {column['name']: column.get('type') for column in inputs.columns}
    names = table[0]
    # Cells beyond the names stay in their row, so that its width is refused.
    rows = [zip_longest(row, names[: len(row)]) for row in table[1:]]
    return names, [[_value(text, kinds.get(name)) for text, name in row] for row in rows]


def _value(text, kind):
    """Text in the column's type where it can be read so; the column check names what is left."""
    if text == '':
        return None
    if kind == 'string':
        return text
    if kind == 'boolean' or kind is None:
        if text.lower() in ('true', 'false'):
            return text.lower() == 'true'
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
