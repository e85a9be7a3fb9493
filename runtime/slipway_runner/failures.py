"""The ways in which a job ends, and the exit code that tells each one to the worker."""
import json
import os

# Reserved codes: a user program that ends with one of them is reported as 1, or it would pass for another failure.
EXIT_CODES = {
    'ProjectInvalid': 64,
    'DependencyInstallFailed': 65,
    'ModelCountWrong': 66,
    'SelfCheckFailed': 67,
    'OutOfMemory': 137,
}
TIME_LIMIT = 124
# Not 137: it is what the kernel gives to a program that it kills.
RESERVED = frozenset(EXIT_CODES.values()) - {137} | {TIME_LIMIT}


class RunnerFailure(Exception):
    """A failure with one clear sentence, a reason of the table and its exit code."""

    def __init__(self, reason, message, exit_code=None, user_exit_code=None):
        super().__init__(message)
        self.reason = reason
        self.exit_code = EXIT_CODES[reason] if exit_code is None else exit_code
        self.user_exit_code = user_exit_code


def project_invalid(message):
    return RunnerFailure('ProjectInvalid', message)


def dependency_failed(message):
    return RunnerFailure('DependencyInstallFailed', message)


def self_check_failed(message):
    return RunnerFailure('SelfCheckFailed', message)


def user_code_failed(returncode):
    """A signal's code is kept (137 tells the worker to look for an out-of-memory kill), a reserved one becomes 1."""
    code = 128 - returncode if returncode < 0 else returncode
    exit_code = 1 if code in RESERVED else code
    return RunnerFailure('UserCodeFailed', 'the program ended with exit code {}'.format(code), exit_code, code)


def out_of_memory(returncode):
    """The program, or one that it started, was killed because the container's memory was full."""
    code = 128 - returncode if returncode < 0 else returncode
    return RunnerFailure('OutOfMemory', 'the program passed the memory limit of its container', user_exit_code=code)


def write_message(output, failure):
    """Writes the sentence where the worker reads the outcome of a step that has nothing more to say."""
    folder = os.path.join(output, '.slipway')
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'outcome.json'), 'w', encoding='utf-8') as stream:
        json.dump({'message': str(failure)}, stream)
