# Sets JAVA_HOME to a Java of at least version 21: JAVA_HOME itself, the one on the PATH, or one below /usr/lib/jvm. Sourced by the scripts here.
java_version() {
  "$1/bin/java" -XshowSettings:properties -version 2>&1 | sed -n 's/.*java.specification.version = \([0-9]*\).*/\1/p'
}
find_java_home() {
  on_path=$(command -v java || true)
  for home in "$JAVA_HOME" "${on_path:+$(dirname "$(dirname "$(readlink -f "$on_path")")")}" /usr/lib/jvm/*; do
    [ -x "$home/bin/javac" ] || continue
    [ "$(java_version "$home")" -ge 21 ] 2>/dev/null && { JAVA_HOME=$home; export JAVA_HOME; return; }
  done
  echo "no Java of at least version 21: set JAVA_HOME" >&2
  exit 2
}
find_java_home
command -v mvn >/dev/null || { echo "Maven is missing" >&2; exit 2; }
