#!/bin/sh
# Everything of the Rust client that `make` offers, and the programs of its workspace for other tests.
# usage: tools/clients/rust.sh gen [FOLDER] | test [FLAGS OF cargo test] | docs | package | bench | build --bin NAME | --example NAME
# What is built goes into .toolchain/rust-target and nowhere else.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
client=$root/clients/rust
export CARGO_TARGET_DIR="$root/.toolchain/rust-target" CARGO_PROFILE_DEV_DEBUG=false CARGO_TERM_QUIET=true
export PATH="$HOME/.cargo/bin:$PATH"

fail() {
  echo "$1" >&2
  exit 1
}

is_new_enough() {
  cargo --version 2>/dev/null | grep -Eq '1\.(89|9[0-9]|[1-9][0-9][0-9])\.'
}

# Rust of the system where it is new enough, otherwise the one that its installer brings for this machine.
install_rust() {
  mkdir -p .toolchain
  is_new_enough && return
  export RUSTUP_HOME="$root/.toolchain/rust" CARGO_HOME="$root/.toolchain/rust"
  export PATH="$CARGO_HOME/bin:$PATH"
  is_new_enough && return
  case $(uname -s)-$(uname -m) in
  Linux-x86_64) machine=x86_64-unknown-linux-gnu sum=20a06e644b0d9bd2fbdbfd52d42540bdde820ea7df86e92e533c073da0cdd43c ;;
  Linux-aarch64) machine=aarch64-unknown-linux-gnu sum=e3853c5a252fca15252d07cb23a1bdd9377a8c6f3efa01531109281ae47f841c ;;
  *) fail 'The Rust client needs Rust 1.89 or newer to be built here: https://rustup.rs' ;;
  esac
  echo 'Installing Rust 1.95 into .toolchain/rust (once) ...' >&2
  folder=$(mktemp -d)
  installer=$folder/rustup-init # Its name is what tells it to install.
  {
    curl -fsSL "https://static.rust-lang.org/rustup/archive/1.28.2/$machine/rustup-init" -o "$installer" &&
      echo "$sum  $installer" | sha256sum --check --quiet && chmod +x "$installer" &&
      "$installer" -y --quiet --no-modify-path --profile minimal --component rustfmt,clippy --default-toolchain 1.95.0
  } >"$folder/log" 2>&1 || fail "$(cat "$folder/log")
Rust could not be installed (see above). Install Rust 1.89 or newer: https://rustup.rs"
  rm -r "$folder"
}

# With the features of the whole workspace, and linted, whatever is built: a package is compiled once, for the stubs, the tests and the drivers.
workspace='--locked --workspace --all-features'
lint_while_compiling() {
  command -v clippy-driver >/dev/null || fail 'The Rust client needs clippy to be built here: rustup component add clippy'
  export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS='-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__'
}

build() {
  lint_while_compiling
  (cd "$client" && cargo build $workspace "$@")
}

# Stubs of the messages, and what the client fills in of each method, out of the descriptors: protoc is not needed.
gen() {
  folder=${1:-$root/gen/rust}
  mkdir -p "$folder"
  rm -f "$folder"/*.rs
  build --bin mneme-codegen
  "$CARGO_TARGET_DIR/debug/mneme-codegen" "$root/gen/image.binpb" "$folder"
}

# The stubs that are committed must be those of the protos.
check_stubs() {
  made=$(mktemp -d)
  gen "$made"
  diff -r "$made" gen/rust >/dev/null || fail 'gen/rust is not up to date: make gen-rust'
  rm -r "$made"
}

check_format() {
  (cd "$client" && cargo fmt --all --check >/dev/null) || fail 'Rust: not formatted: cargo fmt --all in clients/rust'
}

# Prints the one line of totals that the tests end with. Lints, and builds the reference pages (see rustdoc.sh), on the way.
run_tests() {
  build --bins
  report=$(mktemp)
  status=0
  (cd "$client" && MNEME_BIN=$root/bin/mneme RUSTDOC=$root/tools/clients/rustdoc.sh cargo test $workspace --no-fail-fast "$@") >"$report" 2>&1 ||
    status=$?
  [ "$status" -eq 0 ] || grep -v '^test .* ok$' "$report" || true
  sed -n 's/^---- \(.*\) stdout ----$/failed: clients\/rust: \1/p' "$report"
  awk -v status="$status" '/^test result:/ { passed += $4; failed += $6 }
    END { if (status != 0 && failed == 0) failed = 1; print passed + 0 " passed, " failed + 0 " failed" }' "$report"
  rm "$report"
  return "$status"
}

# The reference documentation, as pages; a warning is an error.
docs() {
  rm -rf "$client/docs"
  (cd "$client" && RUSTDOCFLAGS='-D warnings' cargo doc $workspace --no-deps --lib)
  cp -r "$CARGO_TARGET_DIR/doc" "$client/docs"
  echo clients/rust/docs/mneme_client/index.html
}

# The crate, and a proof that it brings all that it needs: cargo builds it alone, out of its archive.
package() {
  rm -rf "$client/dist"
  mkdir -p "$client/dist"
  (cd "$client" && cargo package --locked --allow-dirty -p mneme-client)
  cp "$CARGO_TARGET_DIR"/package/mneme-client-*.crate "$client/dist"
  ls "$client"/dist/*.crate
}

# The program that `make bench BENCH=clients` measures with.
bench() {
  (cd "$client" && cargo build --release --locked -p mneme-bench)
}

install_rust
command=${1:-}
[ $# -eq 0 ] || shift
case $command in
gen) gen "$@" ;;
test)
  check_format
  check_stubs
  run_tests "$@"
  ;;
docs) docs ;;
package) package ;;
bench) bench ;;
build) build "$@" ;;
*) fail 'usage: tools/clients/rust.sh gen [FOLDER] | test [FLAGS OF cargo test] | docs | package | bench | build --bin NAME | --example NAME' ;;
esac
