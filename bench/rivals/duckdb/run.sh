#!/bin/sh
# DuckDB as a rival of bench:aggs; makes a virtual environment next to itself on the first call. Needs python3 with venv and pip.
#   run.sh aggregate EVENTS.ndjson OUT.tsv [--rounds 9] [--threads 1]
set -e
here=$(cd "$(dirname "$0")" && pwd)
venv=$here/target/venv
command -v python3 >/dev/null || { echo "python3 is missing" >&2; exit 2; }
if [ ! -e "$venv/complete" ]; then
  python3 -m venv "$venv" >&2
  "$venv/bin/pip" install -q -r "$here/requirements.txt" >&2
  touch "$venv/complete"
fi
exec "$venv/bin/python" "$here/aggregate.py" "$@"
