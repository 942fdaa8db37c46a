#!/bin/sh
# tantivy as a rival of bench:search and bench:aggs; builds itself on the first call. Needs cargo (Rust 1.88 or newer).
#   run.sh index CORPUS.ndjson INDEX [--ram 256]
#   run.sh query INDEX QUERIES.jsonl OUT.tsv [--modes COUNT,TOP_10,TOP_10_COUNT,TOP_100] [--rounds 5] [--warmup 2]
#   run.sh index-events EVENTS.ndjson INDEX
#   run.sh aggregate INDEX REQUESTS.jsonl OUT.tsv [--rounds 9]
set -e
here=$(cd "$(dirname "$0")" && pwd)
command -v cargo >/dev/null || { echo "cargo is missing" >&2; exit 2; }
RUSTFLAGS="${RUSTFLAGS:--C target-cpu=native}" cargo build -q --release --manifest-path "$here/Cargo.toml" --target-dir "$here/target" >&2
exec "$here/target/release/tantivy-rival" "$@"
