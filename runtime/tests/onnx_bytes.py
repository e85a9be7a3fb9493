"""Writes a model in the interchange format without a library: message fields as the format's own schema numbers them."""
FLOAT, INT64 = 1, 7


def doubled(element=FLOAT, operator='Add'):
    """y = x + x over rows of two."""
    node = _field(1, b'x') + _field(1, b'x') + _field(2, b'y') + _field(4, operator.encode())
    graph = _field(1, node) + _field(2, b'g') + _field(11, _value(b'x', element)) + _field(12, _value(b'y', element))
    # ir_version 8, opset 13 of the default domain.
    return _number(1, 8) + _field(7, graph) + _field(8, _field(1, b'') + _number(2, 13))


def _value(name, element):
    shape = _field(1, _field(2, b'rows')) + _field(1, _number(1, 2))
    tensor = _number(1, element) + _field(2, shape)
    return _field(1, name) + _field(2, _field(1, tensor))


def _field(number, content):
    return bytes([number << 3 | 2, len(content)]) + content


def _number(number, value):
    return bytes([number << 3, value])
