"""Calls uv: the platform's own where it was put, and never with the settings of a project or of an image."""
import os
import re
import shutil
import subprocess
import sys

REMEDY = (
    'only wheels are installed: pin a version that has a wheel for this Python, '
    'or ask the operator to set SLIPWAY_ALLOW_SOURCE_PACKAGES=true'
)
# How uv says that there is only source code.
SOURCE_ONLY = re.compile(r'building from source is disabled|no usable wheels|no-build|no-binary|source distribution', re.I)


class UvFailed(Exception):
    """The explanation of uv in one sentence, with the remedy where the package has no wheel."""


def run_uv(arguments, cwd, environment=None):
    """Runs `uv pip ...`. @returns its output. @raises UvFailed"""
    command = _uv() + ['pip'] + arguments + ['--no-config', '--quiet'] + _wheels_only()
    done = subprocess.run(
        command,
        cwd=cwd,
        env=dict(os.environ, **(environment or {})),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        universal_newlines=True,
    )
    if done.returncode != 0:
        raise UvFailed(_sentence(done.stderr))
    return done.stdout


def _uv():
    found = os.environ.get('SLIPWAY_UV') or shutil.which('uv')
    return [found] if found else [sys.executable, '-m', 'uv']


def _wheels_only():
    return [] if os.environ.get('SLIPWAY_ALLOW_SOURCE_PACKAGES') == 'true' else ['--only-binary', ':all:']


def _sentence(stderr):
    """Without drawing characters, colors and line ends."""
    plain = re.sub(r'\x1b\[[0-9;]*m', '', stderr)
    plain = re.sub(r'[╰─▶│├×]', ' ', plain)
    text = ' '.join(plain.split())[:1500] or 'uv gave no explanation'
    return '{}; {}'.format(text, REMEDY) if SOURCE_ONLY.search(text) else text
