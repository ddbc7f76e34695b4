#!/bin/sh
# Installs packages of Debian with apt-get where it may: as root, or in CI with sudo that asks for no password. Otherwise says what
# needs them and names the command to type, and fails.
# usage: tools/apt.sh 'WHAT NEEDS THEM' PACKAGE...
set -eu
needed_by=$1
shift
as_root=
if [ "$(id -u)" != 0 ] && [ "${CI:-}" = true ]; then as_root='sudo -n'; fi
if { [ "$(id -u)" = 0 ] || [ -n "$as_root" ]; } && command -v apt-get >/dev/null; then
  echo "Installing $* (once) ..." >&2
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  # shellcheck disable=SC2086
  {
    $as_root apt-get update &&
      $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
  } >"$log" 2>&1 </dev/null && exit 0
  tail -n 5 "$log" >&2
fi
echo "$needed_by. To install it type:
  sudo apt-get install --no-install-recommends $*" >&2
exit 1
