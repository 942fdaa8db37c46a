#!/bin/sh
# Builds and runs AnalysisBench. Needs Maven and Java 21 or newer (JAVA_HOME, else `java` on the PATH).
set -e
here=$(cd "$(dirname "$0")" && pwd)
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
classes=$here/target/classes jars=$here/target/dependency
[ "$classes/AnalysisBench.class" -nt "$here/src/main/java/AnalysisBench.java" ] && [ -d "$jars" ] ||
  mvn -q -B -f "$here/pom.xml" compile dependency:copy-dependencies >&2
exec "$java" -Xmx1g -XX:+UseSerialGC -cp "$classes:$jars/*" AnalysisBench "$@"
