/**
 * Runs the contract test of the clients: `make test-contract`, see README.md. Writes the table of passes into
 * docs/clients-contract.md, or with CHECK=1 compares it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import notYet from '../../clients/not-yet.json' with { type: 'json' };
import { gapsOfDocumentedErrors, methodsNotCalled } from './coverage.ts';
import { Driver } from './driver.ts';
import { exampleFault } from './example.ts';
import { type CallCounts, MnemeProcess } from './mneme-process.ts';
import { play, Unsupported } from './play.ts';
import type { Scenario, ScenarioFile } from './scenario.ts';
import { ServerPool } from './server-pool.ts';
import { Stage } from './stage.ts';
import { type Passes, tellPasses } from './table.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LANGUAGES = ['typescript', 'python', 'python-aio', 'go', 'java', 'rust'] as const;
/** Scenarios that are played at the same time: most of them wait most of the time. */
const AT_ONCE = 8;
const SCENARIOS = fileURLToPath(new URL('scenarios/', import.meta.url));

const named = process.env['CLIENT'];
/** `retries` is a file, `retries:store` its scenarios with that in their name. */
const filters = process.argv.slice(2).map((filter) => filter.split(':'));
const files = readdirSync(SCENARIOS)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({
    subject: file.replace('.json', ''),
    ...(JSON.parse(readFileSync(`${SCENARIOS}${file}`, 'utf8')) as ScenarioFile),
  }));
let passed = 0;
let failed = 0;

function note(what: string, fault: string | undefined): void {
  if (fault === undefined) passed += 1;
  else {
    failed += 1;
    console.log(`FAIL  ${what}\n      ${fault.replaceAll('\n', '\n      ')}`);
  }
}

function isWanted(subject: string, name: string): boolean {
  return (
    filters.length === 0 ||
    filters.some(([file, part]) => file === subject && (part === undefined || name.includes(part)))
  );
}

const lacking: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(notYet).map(([title, services]) => [title.toLowerCase(), new Set<string>(services)]),
);

/** A scenario of a subject, to be run in a separate namespace. */
interface Job {
  readonly subject: string;
  readonly scenario: Scenario;
  readonly namespace: string;
}

async function run(language: string, counts: CallCounts, pool: ServerPool): Promise<Passes> {
  const [folder = '', face] = language.split('-');
  const start = () => new Driver(fileOf(language), face === undefined ? [] : [`--${face}`]);
  const shared = new MnemeProcess({ flags: {} }, counts);
  const jobs: Job[] = files
    .filter(({ service }) => service === undefined || !lacking.get(folder)?.has(service))
    .flatMap(({ subject, scenarios }) => scenarios.map((scenario) => ({ subject, scenario })))
    .filter(({ subject, scenario }) => isWanted(subject, scenario.name))
    .map((job, index) => ({ ...job, namespace: `${language}-${index}` }));
  const passes: Passes = new Map();
  await shared.start();
  try {
    const faults = await faultsOf(jobs, start, (job, driver) => faultOf(job, driver, shared, pool, folder));
    for (const [index, { subject, scenario }] of jobs.entries()) {
      note(`${language} › ${subject} › ${scenario.name}`, faults[index]);
      const { passed: before, of } = passes.get(subject) ?? { passed: 0, of: 0 };
      passes.set(subject, { passed: before + (faults[index] === undefined ? 1 : 0), of: of + 1 });
    }
    if (face === undefined && isWanted('example', '')) {
      const fault = await exampleFault(language);
      note(`${language} › example`, fault);
      passes.set('example', { passed: fault === undefined ? 1 : 0, of: 1 });
    }
  } finally {
    await shared.remove();
  }
  for (const [subject, { passed: good, of }] of passes) {
    console.log(`${language.padEnd(11)}${subject.padEnd(18)}${good} of ${of}`);
  }
  return passes;
}

/**
 * Runs several scenarios concurrently with one driver; failures are repeated individually with a new driver, so that a
 * broken driver does not fail other scenarios.
 */
async function faultsOf(
  jobs: readonly Job[],
  start: () => Driver,
  faultIn: (job: Job, driver: Driver) => Promise<string | undefined>,
): Promise<(string | undefined)[]> {
  const faults: (string | undefined)[] = [];
  const together = start();
  const upcoming = jobs.entries();
  const workThrough = async () => {
    for (const [index, job] of upcoming) faults[index] = await faultIn(job, together);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, workThrough));
  await together.stop();
  for (const [index, job] of jobs.entries()) {
    if (faults[index] === undefined) continue;
    console.log(`again ${job.subject} › ${job.scenario.name}: ${faults[index]?.split('\n')[0]}`);
    const alone = start();
    faults[index] = await faultIn({ ...job, namespace: `${job.namespace}-again` }, alone);
    await alone.stop();
  }
  return faults;
}

async function faultOf(
  { scenario, namespace }: Job,
  driver: Driver,
  shared: MnemeProcess,
  pool: ServerPool,
  language: string,
): Promise<string | undefined> {
  const stage = new Stage(scenario, shared, pool);
  let isPassed = false;
  try {
    await stage.open();
    await play(scenario, driver, stage, namespace);
    isPassed = true;
    return undefined;
  } catch (error) {
    if (error instanceof Unsupported && scenario.unsupported?.includes(language)) return undefined;
    return error instanceof Error ? error.message : String(error);
  } finally {
    await stage.close(isPassed);
  }
}

/** The driver of a second face of a client, such as `python-aio`, is that of the first one with a flag. */
function fileOf(language: string): string {
  return `${ROOT}clients/${language.split('-')[0]}/contract-driver`;
}

const table = new Map<string, Passes>();
const counts: CallCounts = new Map();
const pool = new ServerPool(counts);
for (const language of LANGUAGES) {
  if (named !== undefined && named !== '' && named !== language) continue;
  if (existsSync(fileOf(language))) table.set(language, await run(language, counts, pool));
  else if (named) note(language, 'it has no contract-driver');
  else console.log(`${language.padEnd(11)}not run: it has no contract-driver`);
}
await pool.close();
if (filters.length === 0 && table.size > 0) {
  note('every method of the API is called', faultIn(methodsNotCalled(counts)));
  note('every documented error is met', faultIn(gapsOfDocumentedErrors(files.flatMap(({ scenarios }) => scenarios))));
  note('docs/clients-contract.md', tellPasses(table, LANGUAGES, process.env['CHECK'] === '1'));
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

function faultIn(gaps: readonly string[]): string | undefined {
  return gaps.length === 0 ? undefined : `missing: ${gaps.join(', ')}`;
}
