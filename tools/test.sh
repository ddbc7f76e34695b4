#!/usr/bin/env bash
# Runs targets of the Makefile one after another, a demo as one test, and ends with one line over all of them: `N passed, N failed`.
# usage: tools/test.sh TARGET...
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/steps.sh
for target in "$@"; do
  case $target in
  test-*) suite "make $target" make --no-print-directory "$target" ;;
  *) step "make $target" make --no-print-directory "$target" ;;
  esac
done
