#!/bin/sh
# Tests and benchmarks start Redis servers of their own. Where redis-server is missing this installs it when it may, or
# names the command to type; it never fails, because most tests need no Redis. Says nothing when it is there.
set -eu
command -v redis-server >/dev/null && command -v redis-cli >/dev/null ||
  "$(dirname "$0")/apt.sh" 'redis-server is missing, and tests that need it will fail' redis-server || true
