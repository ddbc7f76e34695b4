#!/usr/bin/env bash
# Runs test targets of the Makefile one after another, and ends with one line over all of them: `N passed, N failed`.
# usage: tools/test.sh TARGET...
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/steps.sh
for target in "$@"; do suite "make $target" make --no-print-directory "$target"; done
