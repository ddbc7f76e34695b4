#!/bin/sh
# Everything of the Go client that `make` offers. usage: tools/clients/go.sh gen [FOLDER] | test [FLAGS OF go test] | package | docs | bench
# Its tools go into .toolchain/go-client and nowhere else; says nothing when they are there already.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
client=$root/clients/go
tools=$root/.toolchain/go-client
export PATH="$tools/bin:$root/node_modules/.bin:$PATH"
. "$root/tools/use-go.sh"

# The stamp of a finished installation is a copy of what was asked for.
install_tools() {
  cmp -s "$client/tools/go.sum" "$tools/.installed" && return
  echo 'Installing the tools of the Go client into .toolchain/go-client (once) ...' >&2
  mkdir -p "$tools/bin"
  (cd "$client/tools" && go build -o "$tools/bin/" tool)
  cp "$client/tools/go.sum" "$tools/.installed"
}

# Stubs, and copies of the files that all clients share: what a Go package embeds must lie inside of it.
gen() {
  folder=${1:-$client}
  rm -rf "$folder/mnemev1"
  mkdir -p "$folder/mnemev1"
  buf generate proto --path proto/mneme --template "$client/buf.gen.yaml" -o "$folder/mnemev1"
  cat >"$folder/mnemev1/doc.go" <<'END'
// Package mnemev1 holds the stubs of the API of Mneme, generated from its protos.
package mnemev1
END
  cp clients/service-config.json clients/error-families.json LICENSE "$folder"
}

# What is committed must be what is generated.
check_generated() {
  made=$(mktemp -d)
  gen "$made"
  for each in mnemev1 service-config.json error-families.json LICENSE; do
    diff -r "$made/$each" "$client/$each" >/dev/null || fail "clients/go/$each is not up to date: make gen-go"
  done
  rm -r "$made"
}

lint() {
  unformatted=$(gofmt -l "$client")
  [ -z "$unformatted" ] || fail "Go: not formatted: gofmt -w $unformatted"
  go vet ./...
}

# Prints the one line of totals that the tests end with. No vet here: `lint` has run all of it.
run_tests() {
  report=$(mktemp)
  status=0
  MNEME_BIN=$root/bin/mneme go test -vet=off -json "$@" ./... >"$report" || status=$?
  # What was printed is of interest where something failed.
  [ "$status" -eq 0 ] || sed -n 's/.*"Output":"\(.*\)\\n"}$/\1/p' "$report" | sed 's/\\t/ /g; s/\\n/\n/g; s/\\"/"/g'
  sed -n 's/.*"Action":"fail","Package":"\([^"]*\)","Test":"\([^"]*\)".*/failed: \1: \2/p' "$report"
  passed=$(grep -c '"Action":"pass".*"Test":' "$report") || true
  failed=$(grep -c '"Action":"fail".*"Test":' "$report") || true
  [ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
  echo "$passed passed, $failed failed"
  rm "$report"
  return "$status"
}

# The module as the Go tools fetch it, in a folder that serves as a proxy, and a proof that a program can be built with it alone.
package() {
  out=$client/dist
  module=github.com/mneme-ai/mneme/clients/go
  version=v$(sed -n 's/^const version = "\(.*\)"$/\1/p' "$client/channel.go")
  rm -rf "$out" "$client/docs" # Everything in the folder goes into the module.
  folder=$(mktemp -d)
  (cd "$client/tools" && go run ./modzip "$client" "$module" "$version" "$folder/dist")
  mv "$folder/dist" "$out"
  (
    cd "$folder"
    printf 'package main\n\nimport "%s"\n\nfunc main() {\n\tclient, err := mneme.Connect("127.0.0.1:1")\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tclient.Close()\n}\n' "$module" >main.go
    go mod init example 2>/dev/null
    # The checksum database knows no module of a folder, and what was fetched before must not stand in for it.
    export GOPROXY="file://$out,$(go env GOPROXY)" GONOSUMDB=$module GOFLAGS=-modcacherw
    rm -rf "$(go env GOMODCACHE)/$module@$version" "$(go env GOMODCACHE)/cache/download/$module"
    go get "$module@$version" 2>go.log || fail "$(cat go.log)"
    go run .
  )
  rm -rf "$folder"
  ls "$out/$module/@v/"*.zip
}

# The reference documentation as godoc makes it, one page a package; that nothing lacks a comment is held by a test.
docs() {
  rm -rf "$client/docs"
  mkdir "$client/docs"
  (cd "$client" && go doc -all . >docs/mneme.txt && go doc -all ./mnemetest >docs/mnemetest.txt)
  ls "$client"/docs/*.txt
}

# The program that `make bench BENCH=clients` measures with.
bench() {
  mkdir -p "$tools"
  (cd "$client" && go build -o "$tools/bench" ./internal/bench)
}

command=${1:-}
[ $# -eq 0 ] || shift
[ "$command" = bench ] || install_tools
case $command in
gen) gen "$@" ;;
bench) bench ;;
test)
  check_generated
  cd "$client"
  lint
  run_tests "$@"
  ;;
package) package ;;
docs) docs ;;
*) fail 'usage: tools/clients/go.sh gen [FOLDER] | test [FLAGS OF go test] | package | docs | bench' ;;
esac
