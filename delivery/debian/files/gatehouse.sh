#!/bin/sh
# The command line of this machine's service, with the settings of /etc/gatehouse.
set -eu
if [ "${1-}" = quickstart ]; then
  echo 'gatehouse: quickstart requires PostgreSQL, which the Debian package does not contain: see gatehouse(1)' >&2
  exit 1
fi
exec /usr/lib/gatehouse/bin/node --import=/usr/lib/gatehouse/bin/host.mjs /usr/lib/gatehouse/bin/gatehouse.mjs "$@"
