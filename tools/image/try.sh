#!/bin/sh
# Starts the server of a folder, stores and recalls a memory, and stops it. Fails, with the server's log, where one of these does not work.
# usage: tools/image/try.sh FOLDER
set -eu
mneme=$1/bin/mneme
scratch=$(mktemp -d)
server=
cleanup() {
  status=$?
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ "$status" = 0 ] || cat "$scratch/log" >&2
  rm -rf "$scratch"
}
trap cleanup EXIT
export HOME="$scratch" MNEME_SERVER="unix:$scratch/socket"
"$mneme" serve --listen "unix:$scratch/socket" --data "$scratch/data" --log-level warn >"$scratch/log" 2>&1 &
server=$!
until grep -q 'is serving' "$scratch/log"; do
  kill -0 "$server"
  sleep 0.1
done
"$mneme" health >/dev/null
"$mneme" store 'Ada plays the cello.' >/dev/null
"$mneme" recall 'Who plays the cello?' | grep -q 'Ada plays the cello'
kill "$server"
wait "$server"
server=
