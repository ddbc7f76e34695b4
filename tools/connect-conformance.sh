#!/usr/bin/env bash
# Runs the conformance suite of Connect against the server's transport; the suite, a program in Go, is built into .toolchain once.
# usage: tools/connect-conformance.sh [FLAG OF connectconformance]...
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
. tools/use-go.sh

version=v1.0.7
module=connectrpc.com/conformance
suite=.toolchain/connect-conformance
if [ ! -x "$suite/$version/connectconformance" ]; then
  install_go
  echo "Building Connect's conformance suite into $suite (once) ..." >&2
  mkdir -p "$suite"
  GOBIN=$root/$suite/$version go install "$module/cmd/connectconformance@$version" >"$suite/go.log" 2>&1 || fail "$(cat "$suite/go.log")
The suite could not be built (see above). Is the proxy of Go modules within reach?"
  protos=$(cd "$suite" && go mod download -json "$module@$version" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  buf build "$protos/proto" --as-file-descriptor-set -o "$suite/$version/image.binpb"
fi
out=$(mktemp)
trap 'rm -f "$out"' EXIT
"$suite/$version/connectconformance" --conf test/server/http/conformance/features.yaml --mode server "$@" -- \
  node --disable-warning=ExperimentalWarning test/server/http/conformance/serve.ts "$suite/$version/image.binpb" >"$out" 2>&1 && status=0 || status=$?
# One line of totals, as all suites print.
grep -A4 -E '^FAILED' "$out" | head -100 || true
grep -E '^[0-9]+ passed, [0-9]+ failed' "$out" || cat "$out"
exit $status
