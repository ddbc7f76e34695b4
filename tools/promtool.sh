#!/bin/sh
# Brings promtool, which checks and tests the alert rules of deploy/prometheus, into .toolchain/promtool: unpacked from Debian's
# package without installing it (apt verifies its checksum by the signature of the archive), or built with Go. One that the
# system has is used as it is.
# Says nothing when it is there already.
set -eu
cd "$(dirname "$0")/.."
folder=$PWD/.toolchain/promtool
# The Go module of the same program, whose checksum Go verifies by sum.golang.org.
module=github.com/prometheus/prometheus
version=v0.305.0

fail() {
  echo "$1" >&2
  exit 1
}

[ -x "$folder/promtool" ] && exit 0
echo 'Installing promtool into .toolchain/promtool (once) ...' >&2
rm -rf "$folder"
mkdir -p "$folder"
log=$folder/log
if found=$(command -v promtool); then
  ln -s "$found" "$folder/promtool"
  exit 0
fi

unpack_package() {
  command -v apt-get >/dev/null || return 1
  mkdir -p "$folder/package"
  (
    cd "$folder/package"
    apt-get download -qq prometheus || { apt-get update -qq && apt-get download -qq prometheus; }
    dpkg -x ./*.deb root
  ) >"$log" 2>&1 </dev/null || return 1
  mv "$folder/package/root/usr/bin/promtool" "$folder/promtool"
  rm -r "$folder/package"
}

# A module with `replace` cannot be installed by itself: an empty one requires it.
build_with_go() {
  command -v go >/dev/null || return 1
  mkdir -p "$folder/module"
  (
    cd "$folder/module"
    go mod init promtool && go get "$module/cmd/promtool@$version" && nice go build -p 1 -o "$folder/promtool" "$module/cmd/promtool"
  ) >>"$log" 2>&1 </dev/null
}

unpack_package || build_with_go || fail "$(cat "$log")
promtool could not be installed (see above). Install prometheus of your system, or Go, and try again."
