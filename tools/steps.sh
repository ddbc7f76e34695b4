# shellcheck shell=bash
# Sourced by .ci/run and tools/test.sh: runs steps one after another, and at the exit prints the time and the CPU of each, the failed
# tests of all, and one line over all of them, `N passed, N failed`.
scratch=$(mktemp -d)
passed=0
failed=0
# Lines `failed: SUITE: NAME`, as each suite prints them before its totals.
failures=()
failures_max=50
times=()
# Name of the step that has not ended.
under_way=

finish() {
  local status=$?
  # Ended by a signal, for example because CI waits no longer.
  if [ -n "$under_way" ]; then
    failures+=("failed: $under_way: did not end")
    failed=$((failed + 1))
  fi
  rm -rf "$scratch"
  # A fault of the script is a failure too.
  if [ $status -ne 0 ] && [ $failed -eq 0 ]; then failed=1; fi
  # Where there is only one step, its own output is enough.
  if [ ${#times[@]} -gt 1 ]; then printf '%s\n' "${times[@]}"; fi
  for each in "${failures[@]:0:failures_max}"; do echo "$each"; done
  if [ ${#failures[@]} -gt $failures_max ]; then echo "and $((${#failures[@]} - failures_max)) more failed tests"; fi
  echo "$passed passed, $failed failed"
  if [ $failed -gt 0 ] || [ $passed -eq 0 ]; then exit 1; fi
}
trap finish EXIT

# step NAME COMMAND...: adds the totals that the command ends with; without totals it counts as one.
step() {
  count 1 "$@"
}

# suite NAME COMMAND...: the same, but a command that ends without totals has failed.
suite() {
  count 0 "$@"
}

count() {
  local alone=$1 name=$2
  shift 2
  under_way=$name
  echo "== $name"
  measured "$scratch/log.end" "$@" | tee "$scratch/log"
  add_totals "$name" "$scratch/log" "$alone"
  under_way=
}

# measured END COMMAND...: in a process of its own; writes status, seconds, and seconds of CPU of the command into the file END.
measured() {
  local end=$1 status=0 since=$SECONDS pid=$BASHPID cpu
  shift
  "$@" </dev/null 2>&1 || status=$?
  cpu=$(awk '{ print int($16 / 100 + $17 / 100) }' "/proc/$pid/stat" 2>/dev/null || echo 0)
  echo "$status $((SECONDS - since)) $cpu" >"$end"
}

# add_totals NAME LOG ALONE: `alone` is what passes where the log has no totals.
add_totals() {
  local name=$1 log=$2 step_passed=$3 step_failed=0 status seconds cpu totals
  read -r status seconds cpu <"$log.end"
  times+=("$(printf '%5d s %5d s of CPU  %s' "$seconds" "$cpu" "$name")")
  totals=$(grep -aE '^[0-9]+ passed, [0-9]+ failed(,|$)' "$log" | tail -n 1) || true
  if [ -n "$totals" ]; then
    read -r step_passed _ step_failed _ <<<"$totals"
  elif [ "$status" -ne 0 ] || [ "$step_passed" -eq 0 ]; then
    step_passed=0
    step_failed=1
  fi
  if [ "$status" -ne 0 ] && [ "$step_failed" -eq 0 ]; then step_failed=1; fi
  if [ "$step_failed" -gt 0 ]; then
    local lines
    # A suite of suites repeats the lines of its parts.
    mapfile -t lines < <(grep -a '^failed: ' "$log" | awk '!seen[$0]++')
    if [ ${#lines[@]} -eq 0 ]; then lines=("failed: $name"); fi
    failures+=("${lines[@]}")
  fi
  passed=$((passed + step_passed))
  failed=$((failed + step_failed))
}
