#!/bin/sh
# Our model server against Flask + gunicorn: bench/model-server/run.sh [batching | --seconds N --rounds N].
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv=$("$here/../../runtime/venv.sh")
program=run.py
if [ "${1:-}" = batching ]; then
  program=batching.py
  shift
fi
PATH="$venv/bin:$PATH" exec "$venv/bin/python" "$here/$program" "$@"
