#!/usr/bin/env bash
# Runs the tests of the adapters of frameworks, and ends with one line over all of them: `N passed, N failed`.
# usage: tools/clients/adapters.sh [python] [typescript] [java] [FLAGS OF pytest, jest or mvn]
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/steps.sh

typescript() {
  NODE_COMPILE_CACHE=$PWD/node_modules/.cache/mneme-compile node --no-warnings node_modules/jest/bin/jest.js test/adapters "$@"
}

parts=()
while [[ ${1:-} =~ ^(python|typescript|java)$ ]]; do
  parts+=("$1")
  shift
done
for part in "${parts[@]}"; do
  case $part in
  python) suite 'adapters in Python' tools/clients/python.sh test-adapters "$@" ;;
  typescript) suite 'adapters in TypeScript' typescript "$@" ;;
  java) suite 'adapters in Java' tools/clients/java.sh test-langchain4j "$@" ;;
  esac
done
