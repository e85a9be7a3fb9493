"""Finds out whether a model answers rows that are predicted together as it answers each alone."""
import time

from .results import agree

# As many as the model server joins at most by default: numeric libraries choose their method by size.
BATCH_ROWS = 32
# A slower model gains nothing: its threads predict side by side, and a check of this many rows would take minutes.
LONGEST_SECONDS = 0.5


def answers_alike(predict, sample, only_if_fast=False):
    """`predict` takes rows and returns their predictions as plain lists. A model that fails here is not batched."""
    rows = _different_rows(sample)
    if len(rows) < 2:
        return False
    try:
        if only_if_fast and not _is_fast(predict, rows[0]):
            return False
        alone = [predict([row]) for row in rows]
        batch = predict([rows[index % len(rows)] for index in range(BATCH_ROWS)])
    except Exception as error:
        print('slipway: requests are not batched, predicting rows together failed: {}'.format(error), flush=True)
        return False
    if any(len(one) != 1 for one in alone):
        return False
    return agree(batch, [alone[index % len(rows)][0] for index in range(BATCH_ROWS)])


def _is_fast(predict, row):
    # The first call may prepare something, so the second one counts.
    predict([row])
    started = time.monotonic()
    predict([row])
    return time.monotonic() - started < LONGEST_SECONDS


def _different_rows(sample):
    """The sample's rows without repeats or nulls; one row alone gets a second one with other numbers."""
    rows = []
    for row in sample:
        if None not in row and row not in rows:
            rows.append(row)
    if len(rows) == 1:
        other = [_changed(value) for value in rows[0]]
        rows += [other] if other != rows[0] else []
    return rows


def _changed(value):
    if isinstance(value, float):
        return value * 1.5 + 1
    return value + 1 if isinstance(value, int) and not isinstance(value, bool) else value
