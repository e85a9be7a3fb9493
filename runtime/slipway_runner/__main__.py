"""Command line: python3 -m slipway_runner environment | train | check."""
import argparse
import os
import sys

from . import check, environment, train
from .failures import RunnerFailure, write_message


def main(argv=None):
    parser = argparse.ArgumentParser(prog='slipway_runner', description=__doc__)
    parser.add_argument(
        '--collect',
        choices=('model', 'files'),
        default='model',
        help='what a training publishes: the one model that it logs, or the files that it writes to SLIPWAY_OUTPUT_DIR',
    )
    commands = parser.add_subparsers(dest='command', required=True)

    resolve = commands.add_parser('environment', help='write the hashed lock of a project')
    resolve.add_argument('--project', required=True, help='folder that holds the MLproject file')
    resolve.add_argument('--lock', required=True, help='file to write; empty when the project names no environment')

    run = commands.add_parser('train', help='run an entry point and write the artifact')
    run.add_argument('--job', required=True, help='the job description, JSON')

    verify = commands.add_parser('check', help='load the artifact and repeat its sample')
    verify.add_argument('--artifact', required=True, help='the unpacked artifact')

    options = parser.parse_args(argv)
    # Importing a model's entry point must not add compiled files to the artifact.
    sys.dont_write_bytecode = True
    try:
        if options.command == 'environment':
            environment.write_lock(options.project, options.lock)
            return 0
        if options.command == 'train':
            return train.run(options.job, options.collect)
        check.check(options.artifact)
        return 0
    except RunnerFailure as failure:
        print('slipway: {}'.format(failure), file=sys.stderr)
        if options.command == 'environment':
            write_message(os.path.dirname(options.lock), failure)
        return failure.exit_code


if __name__ == '__main__':
    sys.exit(main())
