"""Prints what batching gives on iris: our server with and without it beside Flask + gunicorn; writes bench/results."""
import json
import os
import platform
import statistics
import sys
import tempfile

from models import make_models
from run import cpu_model
from servers import HERE, Candidate

RESULTS = os.path.join(os.path.dirname(HERE), 'results', 'model-server-batching.json')
KINDS = ('flask', 'unbatched', 'slipway')
CONNECTIONS = (1, 32)
SECONDS, ROUNDS = 3, 3
# A machine that others use too: no slower is within what two rounds of one candidate differ by.
NOISE = 0.95


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder, body = make_models(scratch, ('iris',))['iris native']
        candidates = {}
        try:
            for kind in KINDS:
                candidates[kind] = Candidate(kind, folder)
            answers = [candidate.invoke(body) for candidate in candidates.values()]
            assert all(answer == answers[0] for answer in answers), answers
            rounds = {connections: measure(candidates, body, connections) for connections in CONNECTIONS}
        finally:
            for candidate in candidates.values():
                candidate.close()
    medians = {
        connections: {
            kind: {figure: statistics.median(one[figure] for one in rounds[connections][kind]) for figure in rounds[connections][kind][0]}
            for kind in KINDS
        }
        for connections in CONNECTIONS
    }
    checks = bars(medians)
    for connections in CONNECTIONS:
        for kind in KINDS:
            print(connections, kind, {figure: round(value, 2) for figure, value in medians[connections][kind].items()})
    print('\n'.join('{}: {}'.format(text, 'yes' if met else 'NO') for text, met in checks.items()))
    write(medians, rounds, checks)
    sys.exit(0 if all(checks.values()) else 1)


def measure(candidates, body, connections):
    """All candidates are up at once and take turns, so that a slow minute of the machine meets each."""
    found = {kind: [] for kind in KINDS}
    for _ in range(ROUNDS):
        for kind in KINDS:
            found[kind].append(candidates[kind].load(body, connections, SECONDS))
    return found


def bars(medians):
    few, many = (medians[connections] for connections in CONNECTIONS)
    rate = 'requestsPerSecond'
    return {
        '32 connections: at least 5x the requests/s of Flask': many['slipway'][rate] >= 5 * many['flask'][rate],
        '32 connections: p99 below the p50 of Flask': many['slipway']['p99Ms'] < many['flask']['p50Ms'],
        '1 connection: no slower than without batching': few['slipway'][rate] >= NOISE * few['unbatched'][rate],
        '1 connection: at least 2x the requests/s of Flask': few['slipway'][rate] >= 2 * few['flask'][rate],
    }


def write(medians, rounds, checks):
    host = {
        'cpu': cpu_model(),
        'cores': os.cpu_count(),
        'python': platform.python_version(),
        'loadAverageAtEnd': [round(value, 2) for value in os.getloadavg()],
    }
    document = {'command': 'sh bench/model-server/run.sh batching', 'host': host, 'bars': checks, 'medians': medians, 'rounds': rounds}
    with open(RESULTS, 'w') as stream:
        json.dump(document, stream, indent=2)
        stream.write('\n')


if __name__ == '__main__':
    main()
