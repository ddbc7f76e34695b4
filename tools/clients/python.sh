#!/bin/sh
# Everything of the Python client that `make` offers.
# usage: tools/clients/python.sh tools | adapter-tools | against-tools | gen [FOLDER] | test | test-adapters | package | docs
# Its tools go into .toolchain/python-client, the frameworks of the adapters into .toolchain/python-adapters, the caller of
# PostgreSQL (make bench BENCH=against) into .toolchain/python-against; says nothing when they are there already.
set -eu
cd "$(dirname "$0")/../.."
venv=$PWD/.toolchain/python-client
client=$PWD/clients/python
export PATH="$venv/bin:$PATH"
export PYTHONPATH="$client/src" PYTHONDONTWRITEBYTECODE=1

fail() {
  echo "$1" >&2
  exit 1
}

# A Python that the client supports: 3.10 or newer, with the module venv.
find_python() {
  for each in python3 python3.13 python3.12 python3.11 python3.10; do
    "$each" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && echo "$each" && return
  done
  return 1
}

python() {
  find_python && return
  tools/apt.sh 'The Python client needs Python 3.10 or newer with venv' python3 python3-venv
  find_python || fail 'The Python of this system is older than 3.10: https://www.python.org/downloads'
}

# install REQUIREMENTS TITLE [FLAGS OF pip]: into $venv. The stamp of a finished installation is a copy of the requirements.
install() {
  requirements=$1 title=$2
  shift 2
  cmp -s "$requirements" "$venv/.installed" && return
  echo "Installing $title into ${venv#"$PWD/"} (once) ..." >&2
  mkdir -p .toolchain
  found=$(python)
  "$found" -m venv --clear "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements" "$@" >&2 </dev/null
  cp "$requirements" "$venv/.installed"
}

# Stubs with types of the protos of Mneme; those of google.rpc come with the package googleapis-common-protos.
gen() {
  folder=${1:-gen/python}
  rm -rf "$folder/mneme"
  mkdir -p "$folder/mneme/v1"
  # Messages alone: the client makes its calls by the descriptors of the services.
  "$venv/bin/python" -m grpc_tools.protoc -I proto --plugin=protoc-gen-mypy="$venv/bin/protoc-gen-mypy" \
    --python_out="$folder" --mypy_out=quiet:"$folder" proto/mneme/v1/*.proto
  echo '"""Stubs of the API of Mneme, generated from its protos."""' >"$folder/mneme/v1/__init__.py"
}

# The stubs that are committed must be those of the protos.
check_stubs() {
  made=$(mktemp -d)
  gen "$made"
  diff -r -x __pycache__ "$made/mneme" gen/python/mneme >/dev/null || fail 'gen/python is not up to date: make gen-python'
  rm -r "$made"
}

lint() {
  (
    cd "$client"
    ruff format --quiet --check . || fail 'Python: not formatted: .toolchain/python-client/bin/ruff format clients/python'
    ruff check --quiet .
    mypy --cache-dir "$venv/mypy" --no-error-summary
  )
}

# The adapters of frameworks have types only where the frameworks are installed.
lint_adapters() {
  (
    cd "$client"
    for each in adapters/*/; do
      # Files, as the exclusion of the configuration is about folders. A folder without an adapter has only tests.
      files=$(find "$each" "src/mneme/$(basename "$each")" -name '*.py' 2>/dev/null || true)
      # Without a file mypy would check the whole client: Python itself leaves a folder here.
      # shellcheck disable=SC2086
      if [ -n "$files" ]; then mypy --cache-dir "$venv/mypy" --no-error-summary $files; fi
    done
  )
}

# run_tests FOLDER [FLAGS OF pytest]: prints the one line of totals that the tests end with.
run_tests() {
  folder=$client/$1
  shift
  report=$(mktemp)
  status=0
  MNEME_BIN=$PWD/bin/mneme pytest --rootdir "$client" -c "$client/pyproject.toml" -p no:cacheprovider \
    --junitxml="$report" "$folder" "$@" || status=$?
  "$venv/bin/python" - "$report" <<'END'
import sys
import xml.etree.ElementTree as xml

suite = next(iter(xml.parse(sys.argv[1]).getroot()))
total, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
for case in suite.iter("testcase"):
    if case.find("failure") is not None or case.find("error") is not None:
        print(f"failed: {case.get('classname')}: {case.get('name')}")
print(f"{total - failed - skipped} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
END
  rm "$report"
  return "$status"
}

# The wheel, and a proof of it: installed alone, with the newest packages that it allows, it passes the tests.
package() {
  rm -rf "$client/dist"
  "$venv/bin/python" -m build --no-isolation --wheel --outdir "$client/dist" "$client" >"$venv/build.log" 2>&1 ||
    fail "$(cat "$venv/build.log")"
  installed=$PWD/.toolchain/python-wheel
  [ -x "$installed/bin/python" ] || "$(python)" -m venv "$installed"
  "$installed/bin/python" -m pip uninstall --quiet --disable-pip-version-check --yes mneme 2>/dev/null
  "$installed/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade --upgrade-strategy eager \
    "$client"/dist/*.whl >&2 </dev/null
  grep -E '^(numpy|opentelemetry-api|pytest)==' tools/clients/python-requirements.txt >"$installed/of-the-tests.txt"
  "$installed/bin/python" -m pip install --quiet --disable-pip-version-check -r "$installed/of-the-tests.txt" >&2 </dev/null
  # A warning is an error, of what is imported and of what the tests do.
  PYTHONPATH='' MNEME_BIN=$PWD/bin/mneme "$installed/bin/python" -W error -m pytest -W error --rootdir "$client" \
    -c "$client/pyproject.toml" -p no:cacheprovider "$client/tests" >"$installed/tests.log" 2>&1 || fail "$(cat "$installed/tests.log")"
  ls "$client"/dist/*.whl
}

# The reference documentation; a warning of pdoc is an error, but that it cannot tell where a TypedDict has its keys from.
docs() {
  rm -rf "$client/docs"
  "$venv/bin/python" -W error -W 'ignore:Cannot determine where' -m pdoc --no-show-source --docformat markdown --output-directory "$client/docs" \
    mneme mneme.agentmemory mneme.aio mneme.errors mneme.strands mneme.testing mneme.tools >"$venv/docs.log" 2>&1 || fail "$(cat "$venv/docs.log")"
  ! grep -i 'warn' "$venv/docs.log" >&2 || exit 1
  echo "$client/docs/index.html"
}

command=${1:-}
[ $# -eq 0 ] || shift
if [ "$command" = test-adapters ] || [ "$command" = adapter-tools ]; then
  venv=$PWD/.toolchain/python-adapters
  export PATH="$venv/bin:$PATH"
  # Modules are compiled at their first import: most of those of the frameworks never are imported.
  export PYTHONDONTWRITEBYTECODE=
  install tools/clients/python-adapters-requirements.txt 'the frameworks of the Python adapters' --no-compile
elif [ "$command" = against-tools ]; then
  venv=$PWD/.toolchain/python-against
  tools/install-postgres.sh
  install tools/clients/python-against-requirements.txt 'the caller of PostgreSQL'
else
  install tools/clients/python-requirements.txt 'the tools of the Python client'
fi
case $command in
tools | adapter-tools | against-tools) ;; # They are there now.
gen) gen "$@" ;;
test)
  check_stubs
  lint
  run_tests tests "$@"
  ;;
test-adapters)
  lint_adapters
  # Suites that frameworks publish are run every night.
  [ "${MNEME_ALL_TESTS:-}" = 1 ] || set -- --ignore-glob='*_suite*.py' "$@"
  run_tests adapters -o asyncio_mode=auto -o asyncio_default_fixture_loop_scope=function "$@"
  ;;
package) package ;;
docs) docs ;;
*) fail 'usage: tools/clients/python.sh tools | adapter-tools | against-tools | gen [FOLDER] | test [FLAGS OF pytest] | test-adapters [FLAGS OF pytest] | package | docs' ;;
esac
