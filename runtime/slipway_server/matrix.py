"""Brings the caller's rows into the model's order and types, or says which row and column is wrong."""
import datetime
import math
import re

from .errors import bad_request, shown

NUMBERS = frozenset((int, float))
SCALARS = frozenset((int, float, str, bool, type(None)))
INT_BITS = {'int32': 31}
FLOAT32_MAX = 3.4028234663852886e38
DATE_TIME = re.compile(r'^\d{4}-\d\d-\d\d([T ][0-2]\d:[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-][01]\d:?[0-5]\d)?)?$')


class Inputs(object):
    """The model's input columns: their order, and, when `typed`, the types of their cells.

    An info() written by hand describes and refuses no type; without any description the order is the caller's.
    """

    def __init__(self, described, typed):
        self.columns = described
        self._typed = typed
        self.names = [column['name'] for column in described]
        self._all_numbers = bool(described) and all(_is_plain_number(column) for column in described)

    def arrange(self, names, rows):
        """(names, rows) as the model wants them; `names` None = positional. @raises HttpError 400"""
        if not isinstance(rows, list) or not rows:
            raise bad_request('Matrix is not provided')
        if names == self.names:
            names = self.names
        elif names is not None:
            _check_names(names)
        width = len(names) if names is not None else len(self.names) or None
        rows = _rectangular(rows, width)
        if self.names and names is not None and names is not self.names:
            rows = self._reordered(names, rows)
        if not self._typed:
            names = self.names or names
            _check_cells(rows, names)
            return names, rows
        if not (self._all_numbers and _finite_numbers(rows)):
            rows = [self._converted(index, row) for index, row in enumerate(rows)]
        return self.names, rows

    def _reordered(self, names, rows):
        position = {name: index for index, name in enumerate(names)}
        for column in self.columns:
            if column['name'] not in position and column.get('required', True):
                raise bad_request('required column "{}" is missing'.format(column['name']))
        # An optional column that is absent is a column of nulls.
        absent = len(names)
        order = [position.get(name, absent) for name in self.names]
        if absent in order:
            rows = [row + [None] for row in rows]
        return [[row[index] for index in order] for row in rows]

    def _converted(self, index, row):
        return [_cell(index, column, value) for column, value in zip(self.columns, row)]


def _is_plain_number(column):
    return column.get('type') == 'number' and column.get('format') != 'float'


def _check_names(names):
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise bad_request('columns must be an array of strings')
    if len(set(names)) != len(names):
        twice = next(name for index, name in enumerate(names) if name in names[:index])
        raise bad_request('column "{}" is given twice'.format(twice))


def _rectangular(rows, width):
    for index, row in enumerate(rows):
        if not isinstance(row, list):
            raise bad_request('row {} is not an array'.format(index))
        if width is None:
            width = len(row)
        if len(row) != width:
            raise bad_request('row {} has {} values, expected {}'.format(index, len(row), width))
        if not row:
            raise bad_request('row {} is empty'.format(index))
    return rows


def _finite_numbers(rows):
    try:
        # A sum is finite only when its parts are; a sum that overflows is looked at cell by cell later.
        return all(NUMBERS.issuperset(map(type, row)) and math.isfinite(sum(row)) for row in rows)
    except OverflowError:
        return False


def _check_cells(rows, names):
    for index, row in enumerate(rows):
        if not SCALARS.issuperset(map(type, row)):
            at = next(at for at, value in enumerate(row) if type(value) not in SCALARS)
            raise _wrong_cell(index, names[at] if names else at, row[at], 'a single value')
        for at, value in enumerate(row):
            if type(value) in NUMBERS and not _is_finite(value):
                raise _wrong_cell(index, names[at] if names else at, value, 'a finite number')


def _cell(index, column, value):
    """The value in the column's type. JSON does not tell 5 from 5.0, so whole floats are integers too."""
    kind = column.get('type', 'number')
    if value is None:
        if column.get('required', True):
            raise _wrong_cell(index, column['name'], value, _article(kind))
        return None
    if kind == 'string' and type(value) is str and (column.get('format') != 'date-time' or _is_date_time(value)):
        return value
    if kind == 'boolean' and type(value) is bool:
        return value
    if kind == 'number' and type(value) in NUMBERS and _is_finite(value):
        if column.get('format') != 'float' or abs(value) <= FLOAT32_MAX:
            return value
    if kind == 'integer' and type(value) in NUMBERS and _is_finite(value) and value == int(value):
        bits = INT_BITS.get(column.get('format'), 63)
        if -(1 << bits) <= value < (1 << bits):
            return int(value)
    raise _wrong_cell(index, column['name'], value, _article(kind))


def _is_finite(value):
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the range of a float
        return False


def _is_date_time(text):
    try:
        datetime.datetime.strptime(text[:10], '%Y-%m-%d')
    except ValueError:
        return False
    return DATE_TIME.match(text) is not None and not text[11:].startswith(('24', '25', '26', '27', '28', '29'))


def _article(kind):
    return 'an integer' if kind == 'integer' else 'a {}'.format(kind)


def _wrong_cell(row, column, value, expected):
    name = '"{}"'.format(column) if isinstance(column, str) else str(column)
    return bad_request('row {}, column {}: expected {}, got {}'.format(row, name, expected, shown(value)))
