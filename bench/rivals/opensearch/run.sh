#!/bin/sh
# OpenSearch on loopback with its data in a temporary folder, for comparisons over HTTP; builds itself on the first call. Needs Java 21 and Maven.
#   run.sh start [PORT]    runs in the foreground, by default on port 9201; Ctrl-C stops it and removes the folder
# HEAP (2g) is the size of the Java heap.
set -e
here=$(cd "$(dirname "$0")" && pwd)
[ "$1" = start ] || { echo "usage: run.sh start [PORT]" >&2; exit 2; }
. "$here/../java-home.sh"
built=$here/target/built
if [ ! -e "$built" ] || [ -n "$(find "$here/src" "$here/pom.xml" -newer "$built")" ]; then
  mvn -q -B -f "$here/pom.xml" compile dependency:copy-dependencies >&2
  touch "$built"
fi
folder=$(mktemp -d)
heap=${HEAP:-2g}
"$JAVA_HOME/bin/java" "-Xms$heap" "-Xmx$heap" -cp "$here/target/classes:$here/target/dependency/*" OpenSearchNode "$folder" "${2:-9201}" &
node=$!
trap 'kill $node; wait $node || true; rm -rf "$folder"' INT TERM
wait $node
