#!/bin/sh
# Our model server against Flask + gunicorn: bench/model-server/run.sh [--seconds N] [--rounds N].
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv=$("$here/../../runtime/venv.sh")
PATH="$venv/bin:$PATH" exec "$venv/bin/python" "$here/run.py" "$@"
