#!/bin/sh
# Makes Python stubs of proto/ in .toolchain/python-stubs, with grpcio from PyPI beside them. Says nothing when they are
# there already; prints the folder, which belongs on PYTHONPATH.
set -eu
cd "$(dirname "$0")/../.."
folder=$PWD/.toolchain/python-stubs

# The stamp of finished stubs is a sum over what they are made of.
sum() {
  cat clients/python/requirements-example.txt clients/python/stubs.sh proto/mneme/v1/*.proto | cksum
}

if [ "$(cat "$folder/.made" 2>/dev/null)" != "$(sum)" ]; then
  echo 'Making Python stubs in .toolchain/python-stubs (once) ...' >&2
  rm -rf "$folder"
  mkdir -p "$folder"
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target "$folder" \
    -r clients/python/requirements-example.txt >&2 </dev/null
  PYTHONPATH=$folder python3 -m grpc_tools.protoc -I proto --python_out="$folder" --grpc_python_out="$folder" \
    proto/mneme/v1/*.proto proto/google/rpc/status.proto
  sum >"$folder/.made"
fi
echo "$folder"
