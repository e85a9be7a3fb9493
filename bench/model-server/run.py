"""Prints the table of our server beside Flask + gunicorn and writes it with all rounds to bench/results."""
import argparse
import json
import os
import platform
import shutil
import statistics
import sys
import tempfile
from importlib import metadata

from models import make_models
from servers import HERE, Candidate

RESULTS = os.path.join(os.path.dirname(HERE), 'results', 'model-server.json')
KINDS = ('flask', 'slipway')
CONNECTIONS = (1, 8)
FIGURES = ('requestsPerCpuSecond', 'requestsPerSecond', 'p50Ms')
BAR = 2.0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seconds', type=int, default=4, help='length of a round')
    parser.add_argument('--rounds', type=int, default=5, help='rounds of each candidate; the median counts')
    parser.add_argument('--only', help='measure this row alone, write nothing')
    options = parser.parse_args()
    if shutil.which('wrk') is None:
        sys.exit('wrk is needed: apt-get install wrk')
    if len(os.sched_getaffinity(0)) < 2:
        sys.exit('two cores are needed: one for the server, one for the load')
    with tempfile.TemporaryDirectory() as scratch:
        models = make_models(scratch)
        rows = {
            name: measure(folder, body, options)
            for name, (folder, body) in models.items()
            if options.only in (None, name)
        }
    print_table(rows)
    if options.only is None:
        write(rows, options)
    missed = [name for name, row in rows.items() if not name.endswith('pyfunc') and not meets_bar(row)]
    if missed:
        sys.exit('below {}x or with a higher p50: {}'.format(BAR, ', '.join(missed)))


def measure(folder, body, options):
    """Both candidates are up at once and take turns, so that a slow minute of the machine meets both."""
    candidates = {}
    try:
        for kind in KINDS:
            candidates[kind] = Candidate(kind, folder)
        # A ratio means something only between equal answers.
        answers = [candidate.invoke(body) for candidate in candidates.values()]
        if answers[0] != answers[1]:
            raise RuntimeError('the candidates answer differently: {}'.format(answers))
        row = {kind: {'rounds': {}, 'startSeconds': round(candidates[kind].start_seconds, 2)} for kind in KINDS}
        for kind in KINDS:
            candidates[kind].load(body, max(CONNECTIONS), 1)
        for connections in CONNECTIONS:
            rounds = {kind: [] for kind in KINDS}
            for _ in range(options.rounds):
                for kind in KINDS:
                    rounds[kind].append(candidates[kind].load(body, connections, options.seconds))
            for kind in KINDS:
                row[kind]['rounds'][connections] = rounds[kind]
        for kind in KINDS:
            row[kind]['memoryMb'] = candidates[kind].memory_mb()
        return row
    finally:
        for candidate in candidates.values():
            candidate.close()


def median(row, kind, connections, figure):
    return statistics.median(one[figure] for one in row[kind]['rounds'][connections])


def ratio(row, connections, figure):
    return median(row, 'slipway', connections, figure) / median(row, 'flask', connections, figure)


def meets_bar(row):
    """Per second of CPU: on a machine that others use too, only that is the server's own."""
    return ratio(row, 8, 'requestsPerCpuSecond') >= BAR and ratio(row, 1, 'p50Ms') < 1


def print_table(rows):
    line = '{:12} {:>7}' + '   {:>9} {:>9} {:>7}' * len(FIGURES)
    print('{:20}   {:27}   {:27}   {:27}'.format('', 'requests per CPU second', 'requests per second', 'p50, ms'))
    print(line.format('model', 'clients', *('flask', 'slipway', 'ratio') * len(FIGURES)))
    for name, row in rows.items():
        for connections in CONNECTIONS:
            cells = []
            for figure in FIGURES:
                values = [median(row, kind, connections, figure) for kind in KINDS]
                cells += ['{:.2f}'.format(value) if figure == 'p50Ms' else '{:.0f}'.format(value) for value in values]
                cells.append('{:.2f}x'.format(ratio(row, connections, figure)))
            print(line.format(name, connections, *cells))


def write(rows, options):
    packages = ('flask', 'gunicorn', 'granian', 'numpy', 'scikit-learn', 'mlflow-skinny', 'pandas')
    document = {
        'command': 'bench/model-server/run.sh --seconds {} --rounds {}'.format(options.seconds, options.rounds),
        'bar': '>= {}x requests per CPU second at 8 connections and a lower p50 at 1; pyfunc rows are reported only'.format(BAR),
        'host': {
            'cpu': cpu_model(),
            'cores': os.cpu_count(),
            'kernel': platform.release(),
            'python': platform.python_version(),
            'loadAverageAtEnd': [round(value, 2) for value in os.getloadavg()],
        },
        'packages': {name: metadata.version(name) for name in packages},
        'rows': [
            {
                'model': name,
                'ratio': {
                    str(connections): {figure: round(ratio(row, connections, figure), 2) for figure in FIGURES}
                    for connections in CONNECTIONS
                },
                'medians': {
                    kind: {
                        str(connections): {
                            figure: round(median(row, kind, connections, figure), 3)
                            for figure in FIGURES
                        }
                        for connections in CONNECTIONS
                    }
                    for kind in KINDS
                },
                'raw': row,
            }
            for name, row in rows.items()
        ],
    }
    os.makedirs(os.path.dirname(RESULTS), exist_ok=True)
    with open(RESULTS, 'w') as stream:
        json.dump(document, stream, indent=2)
        stream.write('\n')
    print('written to bench/results/{}'.format(os.path.basename(RESULTS)))


def cpu_model():
    with open('/proc/cpuinfo') as stream:
        return next((line.split(':', 1)[1].strip() for line in stream if line.startswith('model name')), 'unknown')


if __name__ == '__main__':
    main()
