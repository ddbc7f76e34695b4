/**
 * Runs the contract test of the clients: `make test-contract`, see README.md. Writes the table of passes into
 * docs/clients-contract.md, or with CHECK=1 compares it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import notYet from '../../clients/not-yet.json' with { type: 'json' };
import { Outcomes } from '../support/outcomes.ts';
import { gapsOfDocumentedErrors, methodsNotCalled } from './coverage.ts';
import { exampleFault } from './example.ts';
import { driverOf, Lanes, LanguageRun } from './language-run.ts';
import type { CallCounts } from './mneme-process.ts';
import type { ScenarioFile } from './scenario.ts';
import { ServerPool } from './server-pool.ts';
import { type Passes, tellPasses } from './table.ts';

const LANGUAGES = ['typescript', 'python', 'python-aio', 'go', 'java', 'rust'] as const;
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
const outcomes = new Outcomes('test/contract');

function note(what: string, fault: string | undefined): void {
  outcomes.note(what, fault === undefined);
  if (fault !== undefined) console.log(`FAIL  ${what}\n      ${fault.replaceAll('\n', '\n      ')}`);
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

function runOf(language: string, counts: CallCounts, pool: ServerPool): LanguageRun {
  const [folder = ''] = language.split('-');
  const jobs = files
    .filter(({ service }) => service === undefined || !lacking.get(folder)?.has(service))
    .flatMap(({ subject, scenarios }) => scenarios.map((scenario) => ({ subject, scenario })))
    .filter(({ subject, scenario }) => isWanted(subject, scenario.name));
  return new LanguageRun(language, jobs, pool, counts);
}

async function passesOf(run: LanguageRun): Promise<Passes> {
  const { language, jobs } = run;
  const passes: Passes = new Map();
  const faults = await run.finish();
  for (const [index, { subject, scenario }] of jobs.entries()) {
    note(`${language} › ${subject} › ${scenario.name}`, faults[index]);
    const { passed: before, of } = passes.get(subject) ?? { passed: 0, of: 0 };
    passes.set(subject, { passed: before + (faults[index] === undefined ? 1 : 0), of: of + 1 });
  }
  if (!language.includes('-') && isWanted('example', '')) {
    const fault = await exampleFault(language);
    note(`${language} › example`, fault);
    passes.set('example', { passed: fault === undefined ? 1 : 0, of: 1 });
  }
  for (const [subject, { passed: good, of }] of passes) {
    console.log(`${language.padEnd(11)}${subject.padEnd(18)}${good} of ${of}`);
  }
  return passes;
}

const table = new Map<string, Passes>();
const counts: CallCounts = new Map();
const pool = new ServerPool(counts);
const lanes = new Lanes();
const runs: LanguageRun[] = [];
try {
  for (const language of LANGUAGES) {
    if (named !== undefined && named !== '' && named !== language) continue;
    if (existsSync(driverOf(language))) {
      const run = runOf(language, counts, pool);
      runs.push(run);
      // While the last scenarios of a language wait, the first ones of the next are played.
      await run.begin(lanes);
    } else if (named) note(language, 'it has no contract-driver');
    else console.log(`${language.padEnd(11)}not run: it has no contract-driver`);
  }
  await lanes.allEnded();
  for (const run of runs) table.set(run.language, await passesOf(run));
} finally {
  for (const run of runs) await run.remove();
}
await pool.close();
if (filters.length === 0 && table.size > 0) {
  note('every method of the API is called', faultIn(methodsNotCalled(counts)));
  note('every documented error is met', faultIn(gapsOfDocumentedErrors(files.flatMap(({ scenarios }) => scenarios))));
  note('docs/clients-contract.md', tellPasses(table, LANGUAGES, process.env['CHECK'] === '1'));
}
outcomes.finish();

function faultIn(gaps: readonly string[]): string | undefined {
  return gaps.length === 0 ? undefined : `missing: ${gaps.join(', ')}`;
}
