#!/bin/sh
# Builds the checker of histories when it is older than its sources, and runs it, or its tests. usage: checker.sh check | test
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
root=$here/../../..
. "$root/tools/use-go.sh"
cd "$here/checker"
case ${1:-} in
check)
  out=$root/.toolchain/linearizability/checker
  mkdir -p "$(dirname "$out")"
  go build -o "$out" . >&2
  exec "$out"
  ;;
test)
  unformatted=$(gofmt -l .)
  [ -z "$unformatted" ] || fail "Go: not formatted: gofmt -w $unformatted"
  go vet ./...
  go test ./...
  ;;
*) fail 'usage: checker.sh check | test' ;;
esac
