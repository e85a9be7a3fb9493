#!/bin/sh
# Runs the Python tests: runtime/test.sh [pytest arguments, default runtime/tests and clients/python/tests]. The last line is pytest's summary.
# Two processes share them, as most of the time is the start of servers and jobs; -n 0 as an argument runs them in one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv=$("$here/venv.sh")
cd "$here/.."
[ $# -gt 0 ] || set -- runtime/tests clients/python/tests
PATH="$venv/bin:$PATH" exec "$venv/bin/python" -m pytest -c runtime/pytest.ini --rootdir runtime "$@"
