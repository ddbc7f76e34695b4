#!/bin/sh
# Stands in for rustdoc under `cargo test`: before the examples of the documentation are run, its pages are built, a warning being an error.
# They are built with the packages that the tests have; `cargo doc` would compile each of them once more.
set -eu
case " $* " in
*' --test '*)
  (
    for each; do
      shift
      case $each in
      --test) ;;
      *) set -- "$@" "$each" ;;
      esac
    done
    rustdoc "$@" -D warnings --out-dir "$CARGO_TARGET_DIR/doc"
  )
  ;;
esac
exec rustdoc "$@"
