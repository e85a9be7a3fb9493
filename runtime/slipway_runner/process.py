"""Runs the user's program in a process group of its own and hands signals on to all of it."""
import os
import signal
import subprocess

FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def run_forwarding(command, cwd, env):
    """Runs a shell line to its end. @returns the return code as subprocess gives it (negative for a signal)"""
    waiting = []
    state = {'process': None}

    def forward(signum, _frame):
        if state['process'] is None:
            waiting.append(signum)
        else:
            _signal_group(state['process'].pid, signum)

    # Handlers come first: a signal between the start and the handlers would end us and leave the program behind.
    before = {signum: signal.signal(signum, forward) for signum in FORWARDED}
    try:
        process = subprocess.Popen(['bash', '-c', command], cwd=cwd, env=env, start_new_session=True)
        state['process'] = process
        for signum in waiting:
            _signal_group(process.pid, signum)
        return process.wait()
    finally:
        if state['process'] is not None:
            # Whatever the program left running must not write into the output any more.
            _signal_group(state['process'].pid, signal.SIGKILL)
        for signum, handler in before.items():
            signal.signal(signum, handler)


def _signal_group(pid, signum):
    try:
        os.killpg(pid, signum)
    except ProcessLookupError:
        pass
