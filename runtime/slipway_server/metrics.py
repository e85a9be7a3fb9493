"""Counts requests on the board and prints the sum over all workers in the text format of Prometheus."""
import bisect

from . import board as cells
from .board import BUCKET_AT, BUCKETS, STATUS_INDEX, STATUSES


def count(board, slot, status, seconds):
    """Called under the worker's lock: the slot has one writer at a time."""
    values = board.cells
    values[slot + STATUS_INDEX.get(status, STATUS_INDEX[500])] += 1
    values[slot + cells.SECONDS] += seconds
    values[slot + BUCKET_AT + bisect.bisect_left(BUCKETS, seconds)] += 1


def render(board):
    lines = [
        '# HELP slipway_server_requests_total Requests answered, by status.',
        '# TYPE slipway_server_requests_total counter',
    ]
    for status in STATUSES:
        total = board.total(STATUS_INDEX[status])
        lines.append('slipway_server_requests_total{{code="{}"}} {:.0f}'.format(status, total))
    name = 'slipway_server_request_seconds'
    lines += ['# HELP {} Time to answer.'.format(name), '# TYPE {} histogram'.format(name)]
    seen = 0
    for index, bound in enumerate(BUCKETS):
        seen += board.total(BUCKET_AT + index)
        lines.append('{}_bucket{{le="{}"}} {:.0f}'.format(name, bound, seen))
    seen += board.total(BUCKET_AT + len(BUCKETS))
    lines.append('{}_bucket{{le="+Inf"}} {:.0f}'.format(name, seen))
    lines.append('{}_sum {:.6f}'.format(name, board.total(cells.SECONDS)))
    lines.append('{}_count {:.0f}'.format(name, seen))
    gauges = (
        ('slipway_server_in_flight', 'gauge', 'Requests being answered.', board.total(cells.IN_FLIGHT)),
        ('slipway_server_hung_calls', 'gauge', 'Predictions past the time limit.', board.total(cells.HUNG)),
        ('slipway_server_workers_replaced_total', 'counter', 'Workers replaced.', board.cells[cells.REPLACED]),
    )
    for name, kind, text, value in gauges:
        lines += ['# HELP {} {}'.format(name, text), '# TYPE {} {}'.format(name, kind), '{} {:.0f}'.format(name, value)]
    return ('\n'.join(lines) + '\n').encode('utf-8')
