"""Single-row calls that wait at the same moment are predicted together; everything else is as without batching."""
import threading

import pytest
from slipway_server.errors import ModelError
from slipway_server.pool import Pool


class Model:
    """Doubles each row; notes the size of every call. The first call waits until `go` is set."""

    def __init__(self):
        self.sizes = []
        self.go = threading.Event()
        self.running = threading.Event()

    def predict(self, rows, names):
        self.sizes.append(len(rows))
        if len(self.sizes) == 1:
            self.running.set()
            assert self.go.wait(60)
        if ['bad'] in rows:
            raise ValueError('bad row')
        return [None if row[0] is None else row[0] * 2 for row in rows], ('double',)


def answers(pool, model, calls):
    """The answer to each call; all of them wait while the first one is being predicted."""
    found = [None] * len(calls)

    def call(index):
        try:
            found[index] = pool.call(calls[index], ['a'])[0]
        except ModelError as error:
            found[index] = error.message

    threads = [threading.Thread(target=call, args=(0,))]
    threads[0].start()
    assert model.running.wait(60)
    threads += [threading.Thread(target=call, args=(index,)) for index in range(1, len(calls))]
    for thread in threads[1:]:
        thread.start()
    while pool.waiting < len(calls):
        threading.Event().wait(0.001)
    model.go.set()
    for thread in threads:
        thread.join(60)
    return found


@pytest.mark.parametrize('batch_rows, largest', [(1, 1), (4, 4), (32, 9)])
def test_every_call_gets_the_answer_to_its_own_row(batch_rows, largest):
    model = Model()
    pool = Pool(model.predict, 1, 100, 60, batch_rows)
    assert answers(pool, model, [[[index]] for index in range(10)]) == [[index * 2] for index in range(10)]
    assert (sum(model.sizes), max(model.sizes)) == (10, largest)


def test_a_row_that_fails_fails_alone():
    model = Model()
    pool = Pool(model.predict, 1, 100, 60, 32)
    bad = 'Exception during prediction: bad row'
    assert answers(pool, model, [[[1]], [[2]], [['bad']], [[4]]]) == [[2], [4], bad, [8]]
    assert model.sizes == [1, 3, 1, 1, 1]


def test_calls_of_several_rows_and_rows_with_a_null_are_predicted_alone():
    model = Model()
    pool = Pool(model.predict, 1, 100, 60, 32)
    calls = [[[1]], [[1], [2]], [[None]], [[3], [4]]]
    assert answers(pool, model, calls) == [[2], [2, 4], [None], [6, 8]]
    assert sorted(model.sizes) == [1, 1, 2, 2]
