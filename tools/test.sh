#!/usr/bin/env bash
# Runs test targets of the Makefile one after another, `test-server` beside those that follow it, and ends with one line over all of them: `N passed, N failed`.
# usage: tools/test.sh TARGET...
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/steps.sh
target() {
  make --no-print-directory "$1"
}

while [ $# -gt 0 ]; do
  # The tests of the server wait for other processes much of the time: the targets after them run beside them.
  if [ "$1" = test-server ] && [ $# -gt 1 ]; then
    # Now, so that no two targets install the same.
    target server-tools
    beside "make $1" target "$1"
  else
    suite "make $1" target "$1"
  fi
  shift
done
joined
