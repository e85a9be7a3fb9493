#!/bin/sh
# Prints the folder of the virtual environment for the tests and benchmarks; makes it when it is not there yet.
# runtime/venv.sh [file of pins, with uv among them; default tests/requirements.txt]
# Named after Python version and pins, so that an old one is never reused by mistake.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
pins="${1:-$here/tests/requirements.txt}"
key=$({ "$python" -c 'import sys; print(sys.version, sys.platform)'; cat "$pins"; } | sha256sum | cut -c1-16)
venv="${XDG_CACHE_HOME:-$HOME/.cache}/slipway/venv-$key"
if [ ! -f "$venv/.complete" ]; then
  mkdir -p "$(dirname "$venv")"
  (
    # Two runs at once: the second waits for the first instead of building the same folder.
    flock 9
    if [ ! -f "$venv/.complete" ]; then
      echo "making $venv" >&2
      rm -rf "$venv"
      "$python" -m venv "$venv" >&2
      "$venv/bin/pip" install --quiet --disable-pip-version-check "$(grep '^uv==' "$pins")" >&2
      # Compiled once here: the servers of the tests write no bytecode, so each start would compile every import.
      "$venv/bin/uv" pip install --quiet --compile-bytecode --python "$venv/bin/python" -r "$pins" >&2
      touch "$venv/.complete"
    fi
  ) 9>"$venv.lock"
fi
echo "$venv"
