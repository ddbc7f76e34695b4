import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Group } from '../bench.ts';
import { makeCorpus } from '../data/corpus.ts';
import { populate } from '../data/populate.ts';
import { type By, ClientProgram, type Work } from '../load/client-program.ts';
import type { Measured } from '../load/load-client.ts';
import { allOf, atLeast } from '../report/row.ts';
import { compare } from '../rounds.ts';
import { Caller } from '../servers/caller.ts';
import { startMneme } from '../servers/mneme.ts';

const PART = 'clients';
const IN_FLIGHT = 16;
const MEMORIES = 10_000;
const ROUNDS = 13;
const ROUND_MS = 400;
/** For streams, whose rounds are as long as their memories take. */
const STREAM_ROUNDS = 9;
const WARM_UP_MS = 2500;
const WARM_UP_STREAMS = 3;
const RATIO_WANTED = 0.85;
/** Of the Python client, with vectors of numpy. */
const INGESTED_PER_S = 10_000;

const SIDES: readonly By[] = ['stub', 'client'];

interface Language {
  readonly name: string;
  readonly folder: string;
  readonly flags?: readonly string[];
  readonly ingestedPerS?: number;
}

const LANGUAGES: readonly Language[] = [
  { name: 'typescript', folder: 'typescript' },
  { name: 'python', folder: 'python', ingestedPerS: INGESTED_PER_S },
  { name: 'python-aio', folder: 'python', flags: ['--aio'], ingestedPerS: INGESTED_PER_S },
  { name: 'go', folder: 'go' },
  { name: 'java', folder: 'java' },
  { name: 'rust', folder: 'rust' },
];

const LOAD = { in_flight: IN_FLIGHT, duration_ms: ROUND_MS, count: MEMORIES };
const WORKS: readonly (Work & { readonly what: string })[] = [
  { ...LOAD, work: 'get', namespace: 'bench', what: `GetMemory, ${IN_FLIGHT} in flight` },
  { ...LOAD, work: 'store', namespace: 'stored', what: `StoreMemory, ${IN_FLIGHT} in flight` },
  { ...LOAD, work: 'ingest', namespace: 'ingested', what: 'IngestMemories of sentences with vectors, by memory' },
  { ...LOAD, work: 'export', namespace: 'bench', what: 'ExportMemories with vectors, by memory' },
];

/** The overhead of a client over the generated stubs of its language, for each language with a separate server. */
export const clientGroup: Group = {
  parts: [PART, ...LANGUAGES.map(partOf)],
  async run(bench) {
    for (const language of LANGUAGES) {
      if (!bench.wants(PART) && !bench.wants(partOf(language))) continue;
      try {
        await measure(bench, language);
      } catch (error) {
        // A client that cannot be built here does not affect the others.
        bench.say(`${partOf(language)} failed: ${error instanceof Error ? error.message : String(error)}`);
        process.exitCode = 1;
      }
    }
  },
};

function partOf({ name }: Language): string {
  return `${PART}-${name}`;
}

async function measure(bench: Bench, language: Language): Promise<void> {
  const folder = join(bench.folder, partOf(language));
  const mneme = await startMneme({ folder });
  const caller = new Caller(mneme.address);
  await populate(caller, makeCorpus(MEMORIES, 0), MEMORIES, true);
  caller.close();
  const program = new ClientProgram(language.folder, language.flags ?? [], mneme);
  try {
    for (const work of WORKS) await compared(bench, language, program, work);
  } finally {
    await program.stop();
    await mneme.stop();
    rmSync(folder, { recursive: true });
  }
}

async function compared(
  bench: Bench,
  language: Language,
  program: ClientProgram,
  { what, ...work }: (typeof WORKS)[number],
): Promise<void> {
  const isStream = work.work === 'ingest' || work.work === 'export';
  await warmUp(program, work, isStream);
  for (const by of SIDES) program.takeOwnUs(by);
  const { limit, subject, ratio } = await compare(
    isStream ? STREAM_ROUNDS : ROUNDS,
    (above, below) => above.perSecond / below.perSecond,
    (): Promise<Measured> => program.run(work, 'stub'),
    (): Promise<Measured> => program.run(work, 'client'),
  );
  const wanted = [atLeast(ratio, RATIO_WANTED)];
  if (work.work === 'ingest' && language.ingestedPerS !== undefined) {
    wanted.push(atLeast(subject.perSecond, language.ingestedPerS, 'memories/s'));
  }
  bench.add({
    part: partOf(language),
    what,
    subject,
    limit,
    limitName: 'bare stub',
    ratio,
    wanted: allOf(...wanted),
  });
  const [value, bareUs] = [program.takeOwnUs('client'), program.takeOwnUs('stub')];
  bench.add({
    part: partOf(language),
    what: `CPU of the client: ${what}`,
    value,
    unit: 'µs',
    limit: bareUs,
    limitName: 'bare stub',
    ratio: value / bareUs,
  });
}

/** Both sides have compiled their code, and are connected, before the measurement. */
async function warmUp(program: ClientProgram, work: Work, isStream: boolean): Promise<void> {
  for (let round = 0; round < (isStream ? WARM_UP_STREAMS : 1); round++) {
    for (const by of SIDES) await program.run({ ...work, duration_ms: WARM_UP_MS }, by);
  }
}
