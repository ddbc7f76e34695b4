/** Runs the project's checks and says which failed and how to repair it: `make check`, one of them `make check ARGS=types`. */
import { type ExecException, exec } from 'node:child_process';
import { promisify } from 'node:util';
import { Outcomes } from '../test/support/outcomes.ts';

interface Check {
  readonly name: string;
  readonly command: string;
  readonly repair?: string;
  /** For a fixture full of faults: what must be reported. It shows that the tool still reads the files and the rules. */
  readonly mustReport?: readonly string[];
}

const CHECKS: readonly Check[] = [
  {
    name: 'format',
    command: 'biome check --config-path=tools/checks/format.json --error-on-warnings --max-diagnostics=200 .',
    repair: 'make format',
  },
  {
    name: 'lint',
    command:
      'oxlint --config=tools/checks/oxlint.json --format=unix --ignore-pattern=tools/fixtures --ignore-pattern=tools/checks src test clients tools inspector',
  },
  {
    name: 'lint fixture',
    command: 'oxlint --config=tools/checks/oxlint.json --format=unix tools/fixtures/lint',
    mustReport: ['no-floating-promises', 'no-misused-promises', 'no-unsafe-assignment', 'switch-exhaustiveness-check'],
  },
  { name: 'types', command: 'tsc && tsc -p inspector' },
  {
    name: 'dependencies',
    command: 'depcruise --config tools/checks/dependency-cruiser.cjs src clients test inspector',
  },
  {
    name: 'dependencies fixture',
    command: 'cd tools/fixtures/dependencies && depcruise --config ../../checks/dependency-cruiser.cjs src',
    mustReport: ['no-cycles', 'memory-is-pure', 'home-of-grpc', 'imports-exist'],
  },
  { name: 'tidy', command: 'node tools/tidy.ts' },
  {
    name: 'clients table',
    command: 'node --disable-warning=ExperimentalWarning tools/clients-table.ts --check',
    repair: 'make clients-table, or give the client what it lacks',
  },
  { name: 'lock file', command: 'npm ci --dry-run --ignore-scripts --loglevel=error', repair: 'npm install' },
  { name: 'protos', command: 'buf lint' },
  { name: 'proto format', command: 'buf format --diff --exit-code proto --path proto/mneme', repair: 'make format' },
  { name: 'proto breaking', command: 'buf breaking proto --against proto/baseline.binpb' },
  {
    name: 'generated code',
    command:
      'out=$(mktemp -d) && trap "rm -rf $out" EXIT && make --silent gen OUT=$out && diff -r docs/api $out/docs/api && ' +
      'diff clients/agent-tools.json $out/clients/agent-tools.json && ' +
      // Stubs of other languages are compared where they are tested (tools/clients).
      'for made in $out/gen/*; do diff -r gen/$(basename $made) $made || exit 1; done && ' +
      'for file in docs/openapi.json docs/settings.md docs/limits.md docs/metrics.md deploy/helm/mneme/values.schema.json; do diff $file $out/$file || exit 1; done',
    repair: 'make gen',
  },
];

const run = promisify(exec);
const OUTPUT_BYTES_MAX = 64 * 2 ** 20;
/** Checks that run at a time. */
const LANES = 2;

/** Output of a check that fails; undefined when it passes. */
async function faultsOf({ command, mustReport }: Check): Promise<string | undefined> {
  const result = await run(command, { maxBuffer: OUTPUT_BYTES_MAX }).catch((error: unknown) => error as ExecException);
  const output = `${result.stdout}${result.stderr}`.trim();
  if (mustReport === undefined) return result instanceof Error ? output || result.message : undefined;
  const silent = mustReport.filter((rule) => !output.includes(rule));
  return silent.length === 0 ? undefined : `not reported in the fixture: ${silent.join(', ')}\n${output}`;
}

const outcomes = new Outcomes('make check');

async function carryOut(check: Check): Promise<void> {
  const startedAtMs = performance.now();
  const faults = await faultsOf(check);
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  console.log(`${faults === undefined ? 'ok  ' : 'FAIL'}  ${check.name.padEnd(22)}${seconds.padStart(5)} s`);
  outcomes.note(check.name, faults === undefined);
  if (faults === undefined) return;
  console.log(`\n${faults}\n${check.repair === undefined ? '' : `To repair it: ${check.repair}\n`}`);
}

const wanted = process.argv[2] ?? '';
const waiting = CHECKS.filter(({ name }) => name.startsWith(wanted));
const lane = async (): Promise<void> => {
  for (let check = waiting.shift(); check; check = waiting.shift()) await carryOut(check);
};
await Promise.all(Array.from({ length: LANES }, lane));
outcomes.finish();
