"""Predictions in the form they have on the wire, and whether two of them agree."""
import math

RELATIVE_TOLERANCE = 1e-9


def plain(matrix):
    """Arrays, series and frames as lists; missing values and infinities as None."""
    if hasattr(matrix, 'to_numpy'):
        matrix = matrix.to_numpy()
    if hasattr(matrix, 'tolist'):
        matrix = matrix.tolist()
    if isinstance(matrix, (list, tuple)):
        return [plain(item) for item in matrix]
    # NaN, NaT and NA are not equal to themselves.
    if (matrix == matrix) is not True or (isinstance(matrix, float) and not math.isfinite(matrix)):
        return None
    if hasattr(matrix, 'isoformat'):
        return matrix.isoformat()
    return matrix


def agree(left, right):
    """Equal shape and values; numbers within the relative tolerance."""
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(agree(a, b) for a, b in zip(left, right))
    if _is_number(left) and _is_number(right):
        return math.isclose(left, right, rel_tol=RELATIVE_TOLERANCE, abs_tol=0.0)
    return type(left) is type(right) and left == right


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)
