#!/usr/bin/env bash
# Runs targets of the Makefile one after another, a demo as one test, and ends with one line over all of them: `N passed, N failed`.
# usage: tools/test.sh TARGET...
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/steps.sh

run() {
  case $1 in
  test-deploy)
    # The tools take minutes to build; the night runs it in any case.
    if [ "${MNEME_ALL_TESTS:-}" = 1 ] || tools/changed.sh deploy tools/deploy tools/image tools/deploy-tools.sh .github test/deploy; then
      suite "make $1" make --no-print-directory "$1"
    else
      echo "== make $1: nothing of deploy/ has changed"
    fi
    ;;
  test-*) suite "make $1" make --no-print-directory "$1" ;;
  demo-lifecycle)
    for flags in '' --redis --python '--python --redis'; do
      step "make $1 ARGS='$flags'" make --no-print-directory "$1" "ARGS=$flags"
    done
    ;;
  *) step "make $1" make --no-print-directory "$1" ;;
  esac
}

for target in "$@"; do run "$target"; done
