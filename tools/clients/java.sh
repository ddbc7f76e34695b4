#!/bin/sh
# Everything of the Java client and of its adapter of LangChain4j that `make` offers.
# usage: tools/clients/java.sh compile | test | test-langchain4j | package | docs
# Maven keeps what it downloads in .toolchain/m2; says nothing when all is there already.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
repository=$root/.toolchain/m2
tools=$root/.toolchain/java-client
client=$root/clients/java
langchain4j=$client/langchain4j

fail() {
  echo "$1" >&2
  exit 1
}

javac -version >/dev/null 2>&1 && command -v mvn >/dev/null ||
  tools/apt.sh 'The Java client needs Java 17 and Maven to be built here' openjdk-17-jdk-headless maven

# The runs are short: Java's optimizing compiler and its parallel collector cost more here than they gain.
quick='-XX:+UseSerialGC -XX:TieredStopAtLevel=1'
export MAVEN_OPTS="$quick ${MAVEN_OPTS:-}"

maven() {
  mvn -q -B -ntp -Dstyle.color=never -Dmaven.repo.local="$repository" "$@"
}

# Compiles client, tests, example and contract driver, unless nothing has changed; one at a time.
compile() {
  mkdir -p "$tools"
  (
    flock 9
    classpath=$client/target/classpath
    if [ ! -f "$classpath" ] || [ -n "$(find "$client/src" "$client/pom.xml" proto/mneme clients/*.json -newer "$classpath" -print -quit)" ]; then
      maven -f "$client/pom.xml" test-compile dependency:build-classpath -Dmdep.outputFile="$classpath.new" >&2
      mv "$classpath.new" "$classpath"
    fi
  ) 9>"$tools/lock"
}

# The client as an artifact, which the adapter depends on, unless nothing has changed since.
install_client() {
  compile
  (
    flock 9
    [ "$tools/installed" -nt "$client/target/classpath" ] && return
    maven -f "$client/pom.xml" -Dmaven.test.skip=true install >&2
    touch "$tools/installed"
  ) 9>"$tools/lock"
}

# Tests of a project, and the one line of totals that they end with. usage: run_tests FOLDER [FLAGS OF mvn]
run_tests() {
  project=$1
  shift
  status=0
  rm -rf "$project/target/surefire-reports"
  MNEME_BIN=$root/bin/mneme maven -f "$project/pom.xml" -DargLine="$quick" test "$@" >"$tools/test.log" 2>&1 || status=$?
  # Maven resets the colours of a terminal even where it is told to print none.
  sed 's/\x1b\[[0-9;]*m//g; /^$/d' "$tools/test.log"
  cat "$project"/target/surefire-reports/TEST-*.xml | awk '
    function text(name) { return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : "" }
    function number(name) { return text(name) + 0 }
    /<testcase / { test = text("classname") ": " text("name") }
    /<(failure|error)[ >]/ { print "failed: " test }
    /<testsuite / { total += number("tests"); failed += number("failures") + number("errors"); skipped += number("skipped") }
    END { printf "%d passed, %d failed%s\n", total - failed - skipped, failed, skipped ? ", " skipped " skipped" : "" }'
  return "$status"
}

# Reference documentation of packages, as pages; a warning is an error, and so is a public name without a comment. That a comment has no
# @param, @return or @throws is none: its sentence says it. usage: pages PROJECT CLASSPATH PACKAGE...
pages() {
  project=$1
  path=$2
  shift 2
  rm -rf "$project/target/docs"
  javadoc -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -quiet -Xdoclint:all -Xmaxwarns 1000000 -notimestamp -encoding UTF-8 \
    -d "$project/target/docs" -sourcepath "$project/src/main/java" -classpath "$path" "$@" >"$tools/docs.log" 2>&1 || fail "$(cat "$tools/docs.log")"
  faults=$(grep ': warning: ' "$tools/docs.log" | grep -v ': warning: no @' || true)
  [ -z "$faults" ] || fail "$faults"
}

docs() {
  compile
  pages "$client" "$client/target/classes:$(cat "$client/target/classpath")" dev.mneme.client dev.mneme.testing
}

# The jars of the adapter, with its sources and reference pages.
package_langchain4j() {
  install_client
  rm -f "$langchain4j"/target/mneme-langchain4j-*.jar
  maven -f "$langchain4j/pom.xml" -Dmaven.test.skip=true package dependency:build-classpath -Dmdep.includeScope=compile \
    -Dmdep.outputFile="$langchain4j/target/classpath"
  pages "$langchain4j" "$langchain4j/target/classes:$(cat "$langchain4j/target/classpath")" dev.mneme.langchain4j
  jar=$(ls "$langchain4j"/target/mneme-langchain4j-*[0-9].jar)
  jar --create --file "${jar%.jar}-javadoc.jar" --date=2026-01-01T00:00:00Z -C "$langchain4j/target/docs" .
  ls "$langchain4j"/target/mneme-langchain4j-*.jar
}

# The jars, with their sources and reference pages, and a proof of the first: a program in an empty folder stores with nothing else but what it depends on.
package() {
  rm -f "$client"/target/mneme-client-*.jar
  maven -f "$client/pom.xml" -DskipTests package
  docs
  jar=$(ls "$client"/target/mneme-client-*[0-9].jar)
  jar --create --file "${jar%.jar}-javadoc.jar" --date=2026-01-01T00:00:00Z -C "$client/target/docs" .
  folder=$(mktemp -d)
  cat >"$folder/Main.java" <<'END'
import dev.mneme.client.*;
import dev.mneme.testing.TestServer;

class Main {
  public static void main(String[] args) {
    try (TestServer server = TestServer.start(); Mneme mneme = Mneme.connect(server.address())) {
      mneme.store(NewMemory.of("tea at five"));
    }
  }
}
END
  (cd "$folder" && MNEME_BIN=$root/bin/mneme java -classpath "$jar:$(cat "$client/target/classpath")" Main.java)
  rm -rf "$folder"
  ls "$client"/target/mneme-client-*.jar
}

command=${1:-}
[ $# -eq 0 ] || shift
case $command in
compile) compile ;;
test)
  compile
  docs
  run_tests "$client" "$@"
  ;;
test-langchain4j)
  install_client
  # Suites that LangChain4j publishes are run every night.
  [ "${MNEME_ALL_TESTS:-}" = 1 ] || set -- '-Dtest=!Published*' "$@"
  run_tests "$langchain4j" "$@"
  ;;
package)
  package
  package_langchain4j
  ;;
docs)
  docs
  echo "$client/target/docs/index.html"
  ;;
*) fail 'usage: tools/clients/java.sh compile | test | test-langchain4j [FLAGS OF mvn] | package | docs' ;;
esac
