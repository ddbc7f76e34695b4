#!/bin/sh
# Runs test targets of the Makefile one after another, and ends with one line over all of them: `N passed, N failed`.
# usage: tools/test.sh TARGET...
# A target that ends without such a line, or with an error although no test failed, counts as one failed test.
set -eu
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0
failed_targets=

for target in "$@"; do
  echo "== make $target"
  # A pipe has the status of its last command: the first one's goes through a file.
  { make --no-print-directory "$target" </dev/null 2>&1 || echo $? >"$log.status"; } | tee "$log"
  totals=$(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed.*/\1 \2/p' "$log" | tail -n 1)
  target_failed=${totals#* }
  if [ -z "$totals" ]; then
    totals='0 1'
    target_failed=1
  elif [ -e "$log.status" ] && [ "$target_failed" -eq 0 ]; then
    target_failed=1
  fi
  rm -f "$log.status"
  passed=$((passed + ${totals% *}))
  failed=$((failed + target_failed))
  [ "$target_failed" -eq 0 ] || failed_targets="$failed_targets $target"
done

for target in $failed_targets; do echo "failed: make $target"; done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
