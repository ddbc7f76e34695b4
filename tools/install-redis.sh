#!/bin/sh
# Tests and benchmarks start Redis servers of their own. Where redis-server is missing this installs it when it may, or
# names the command to type; it never fails, because most tests need no Redis. Says nothing when it is there.
set -eu
packages=redis-server
command -v redis-server >/dev/null && command -v redis-cli >/dev/null && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo 'Installing redis-server (once) ...' >&2
  log=$(mktemp)
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update && apt-get install -y --no-install-recommends $packages; } >"$log" 2>&1 </dev/null && {
    rm -f "$log"
    exit 0
  }
  tail -n 5 "$log" >&2
  rm -f "$log"
fi
echo "redis-server is missing, and tests that need it will fail. To install it type:
  sudo apt-get install --no-install-recommends $packages" >&2
