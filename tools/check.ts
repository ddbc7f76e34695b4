/** Runs the project's checks and says which failed and how to mend it: `make check`, one of them `make check ARGS=types`. */
import { spawnSync } from 'node:child_process';

interface Check {
  readonly name: string;
  readonly command: string;
  readonly mend?: string;
  /** For a fixture full of faults: what must be reported. It shows that the tool still reads the files and the rules. */
  readonly mustReport?: readonly string[];
}

const CHECKS: readonly Check[] = [
  { name: 'format', command: 'biome check --error-on-warnings --max-diagnostics=200 .', mend: 'make format' },
  { name: 'lint', command: 'oxlint --format=unix --ignore-pattern=tools/fixtures src test clients tools' },
  {
    name: 'lint fixture',
    command: 'oxlint --format=unix tools/fixtures/lint',
    mustReport: ['no-floating-promises', 'no-misused-promises', 'no-unsafe-assignment', 'switch-exhaustiveness-check'],
  },
  { name: 'types', command: 'tsc' },
  { name: 'dependencies', command: 'depcruise --config .dependency-cruiser.cjs src clients test' },
  {
    name: 'dependencies fixture',
    command: 'cd tools/fixtures/dependencies && depcruise --config ../../../.dependency-cruiser.cjs src',
    mustReport: ['no-cycles', 'memory-is-pure', 'home-of-grpc', 'imports-exist'],
  },
  { name: 'tidy', command: 'node tools/tidy.ts' },
  {
    name: 'clients table',
    command: 'node --disable-warning=ExperimentalWarning tools/clients-table.ts --check',
    mend: 'make clients-table, or give the client what it lacks',
  },
  { name: 'lock file', command: 'npm ci --dry-run --ignore-scripts --loglevel=error', mend: 'npm install' },
  { name: 'protos', command: 'buf lint' },
  { name: 'proto format', command: 'buf format --diff --exit-code proto --path proto/mneme', mend: 'make format' },
  { name: 'proto breaking', command: 'buf breaking proto --against proto/baseline.binpb' },
  {
    name: 'generated code',
    command:
      'out=$(mktemp -d) && trap "rm -rf $out" EXIT && make --silent gen OUT=$out && diff -r docs/api $out/docs/api && ' +
      // Stubs of other languages are compared where they are tested (tools/clients).
      'for made in $out/gen/*; do diff -r gen/$(basename $made) $made || exit 1; done && ' +
      'for page in settings limits; do diff docs/$page.md $out/docs/$page.md || exit 1; done',
    mend: 'make gen',
  },
];

/** What the tool printed when the check fails, otherwise nothing. */
function faultsOf(check: Check): string | undefined {
  const run = spawnSync(check.command, { shell: true, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const output = `${run.stdout}${run.stderr}`.trim() || `exit code ${run.status}`;
  if (check.mustReport === undefined) return run.status === 0 ? undefined : output;
  const silent = check.mustReport.filter((rule) => !output.includes(rule));
  return silent.length === 0 ? undefined : `not reported in the fixture: ${silent.join(', ')}\n${output}`;
}

let passed = 0;
let failed = 0;
const wanted = process.argv[2] ?? '';
for (const check of CHECKS.filter(({ name }) => name.startsWith(wanted))) {
  const startedAtMs = performance.now();
  const faults = faultsOf(check);
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  console.log(`${faults === undefined ? 'ok  ' : 'FAIL'}  ${check.name.padEnd(22)}${seconds.padStart(5)} s`);
  if (faults === undefined) {
    passed += 1;
  } else {
    failed += 1;
    console.log(`\n${faults}\n${check.mend === undefined ? '' : `To mend it: ${check.mend}\n`}`);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
