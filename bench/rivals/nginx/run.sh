#!/bin/sh
# Debian's nginx for bench:front where none is installed: downloaded with apt-get, unpacked into target/ and not installed.
#   run.sh binary    prints the path of the binary
set -e
here=$(cd "$(dirname "$0")" && pwd)
binary=$here/target/tree/usr/sbin/nginx
if [ ! -x "$binary" ]; then
  command -v dpkg-deb >/dev/null || { echo "dpkg-deb is missing: nginx comes from a Debian package" >&2; exit 2; }
  mkdir -p "$here/target/debs"
  (cd "$here/target/debs" && apt-get -q download nginx >&2)
  for archive in "$here"/target/debs/*.deb; do dpkg-deb -x "$archive" "$here/target/tree"; done
fi
[ -x "$binary" ] || { echo "the package holds no usr/sbin/nginx" >&2; exit 2; }
echo "$binary"
