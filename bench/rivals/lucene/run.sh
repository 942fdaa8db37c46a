#!/bin/sh
# Lucene as a rival of bench:search, bench:indexing, bench:analysis and bench:vectors; builds itself on the first call. Needs Java 21 and Maven.
#   run.sh index CORPUS.ndjson INDEX [--ram 256]
#   run.sh query INDEX QUERIES.jsonl OUT.tsv [--modes COUNT,TOP_10,TOP_10_COUNT,TOP_100] [--rounds 5] [--warmup 2]
#   run.sh analyze ROUNDS CLASS FILE.ndjson
#   run.sh vectors VECTORS QUERIES OUT --dims 384 [--m 16] [--ef 100] [--candidates 100]
# HEAP (2g) is the size of the Java heap. The vector module lets Lucene decode postings by SIMD, as a tuned server does.
set -e
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../java-home.sh"
built=$here/target/built
if [ ! -e "$built" ] || [ -n "$(find "$here/src" "$here/pom.xml" -newer "$built")" ]; then
  mvn -q -B -f "$here/pom.xml" compile dependency:copy-dependencies >&2
  touch "$built"
fi
exec "$JAVA_HOME/bin/java" -Xmx"${HEAP:-2g}" -XX:+UseSerialGC --add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED \
  -cp "$here/target/classes:$here/target/dependency/*" Rival "$@"
