#!/bin/sh
# The tests of the inspector drive Chromium. Where it is missing this installs it when it may, or names the command to type; it never
# fails, because most tests need no browser. Says nothing when it is there. The fonts show texts of all scripts in screenshots.
set -eu
command -v chromium >/dev/null ||
  "$(dirname "$0")/apt.sh" 'chromium is missing, and the tests of the inspector will fail' chromium fonts-dejavu-core || true
