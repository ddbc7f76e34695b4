import type { Bench } from '../bench.ts';
import { type AgainstProgram, type Calls, type FilterName, SYSTEMS, type SystemName } from '../load/against-program.ts';
import type { Measured } from '../load/load-client.ts';
import { median } from '../quantile.ts';
import { allOf, atLeast, atMost, type Wanted } from '../report/row.ts';
import { markdown } from '../report/table.ts';
import { overall } from '../rounds.ts';
import { proportionalMbOf, writtenBytesOf } from '../servers/process-tree.ts';

const PART = 'against';
const ROUNDS = 5;
const ROUND_MS = 800;
const MANY = 32;
/** Memories of a batch. */
const BATCH = 100;
const FOUND_WANTED = 0.99;

type Results = ReadonlyMap<SystemName, Measured>;

interface Kind {
  readonly what: string;
  readonly calls: Pick<Calls, 'work' | 'filter' | 'in_flight'>;
  readonly systems: readonly SystemName[];
  /** Ratio is the median of the rounds' throughput over pgvector's. */
  readonly wanted?: (ratio: number, results: Results) => Wanted;
}

const SEARCHES: readonly SystemName[] = ['mneme', 'pgvector'];
const CALLS: readonly SystemName[] = [...SEARCHES, 'echo'];
const WRITES: readonly SystemName[] = [...CALLS, 'sqlite'];

const FILTERS: readonly { readonly name: FilterName; readonly words: string }[] = [
  { name: 'steps', words: 'filtered by type and steps, 10 % pass' },
  { name: 'zones', words: 'filtered by a path of JSON, 10 % pass' },
];

const READS: readonly Kind[] = [
  { what: 'Recall by vector', calls: { work: 'query', in_flight: 1 }, systems: CALLS },
  {
    what: 'Recall by vector',
    calls: { work: 'query', in_flight: MANY },
    systems: CALLS,
    wanted: (ratio, results) => {
      const tail = p99Of(results, 'mneme') / p99Of(results, 'pgvector');
      return allOf(atLeast(ratio, 1, 'calls/s over pgvector'), atMost(tail, 1, 'p99 over pgvector'));
    },
  },
  ...FILTERS.flatMap(({ name, words }): Kind[] =>
    [
      { inFlight: 1, least: 1.5 },
      { inFlight: MANY, least: 2 },
    ].map(({ inFlight, least }) => ({
      what: `Recall by vector ${words}`,
      calls: { work: 'query', filter: name, in_flight: inFlight },
      systems: SEARCHES,
      wanted: (ratio) => atLeast(ratio, least, 'calls/s over pgvector'),
    })),
  ),
  { what: 'Get', calls: { work: 'get', in_flight: 1 }, systems: CALLS },
];

const STORES: readonly Kind[] = [
  { what: 'Store with a vector', calls: { work: 'add', in_flight: 1 }, systems: WRITES },
  {
    what: 'Store with a vector',
    calls: { work: 'add', in_flight: MANY },
    systems: WRITES,
    wanted: (_, results) => {
      const share = (results.get('mneme')?.perSecond ?? 0) / (results.get('echo')?.perSecond ?? 0);
      return atLeast(share, 0.7, 'calls/s over echo');
    },
  },
  { what: 'BatchStore of 100 with vectors', calls: { work: 'batch', in_flight: 1 }, systems: WRITES },
];

/** Reads first: they are those of exactly `count` memories. */
export async function measureAgainstCalls(
  bench: Bench,
  program: AgainstProgram,
  count: number,
  pids: Readonly<Record<'mneme' | 'pgvector', number>>,
): Promise<void> {
  const columns: Column[] = [];
  for (const kind of READS) columns.push({ kind, ...(await compared(bench, program, count, kind)) });
  for (const system of ['mneme', 'pgvector'] as const) {
    for (const filter of ['', ...FILTERS.map(({ name }) => name)] as const) {
      const value = await program.found(system, filter);
      const what = `${system}: recall@10 by vector of ${count}${filter === '' ? '' : `, filter ${filter}`}`;
      const wanted = system === 'mneme' ? { wanted: atLeast(value, FOUND_WANTED, 'recall@10') } : {};
      bench.add({ part: PART, what, value, unit: '', ...wanted });
    }
    const what = `${system}: memory of all processes after the reads of ${count}, shared pages once`;
    bench.add({ part: PART, what, value: proportionalMbOf(pids[system]), unit: 'MB' });
  }
  for (const kind of STORES) {
    const before = { mneme: writtenBytesOf(pids.mneme), pgvector: writtenBytesOf(pids.pgvector) };
    const { calls, results } = await compared(bench, program, count, kind);
    columns.push({ kind, results });
    for (const system of ['mneme', 'pgvector'] as const) {
      const value = (writtenBytesOf(pids[system]) - before[system]) / (calls.get(system) ?? 0) / 1000;
      bench.add({ part: PART, what: `${system}: written to disk a call, ${named(kind)}`, value, unit: 'kB' });
    }
  }
  for (const line of overview(columns)) bench.say(line);
}

interface Column {
  readonly kind: Kind;
  readonly results: Results;
}

/** Calls a second of each system, one a line; of batches memories. */
function overview(columns: readonly Column[]): string[] {
  const cells = (system: SystemName): string[] =>
    columns.map(({ kind, results }) => {
      const perSecond = (results.get(system)?.perSecond ?? Number.NaN) * (kind.calls.work === 'batch' ? BATCH : 1);
      return Number.isNaN(perSecond) ? '-' : Math.round(perSecond).toLocaleString('en');
    });
  const heads = columns.map(({ kind: { calls } }) => `${calls.filter || calls.work} ×${calls.in_flight}`);
  return markdown(
    ['calls/s', ...heads],
    SYSTEMS.map((system) => [system, ...cells(system)]),
  );
}

interface Compared {
  /** Calls of all rounds, by system. */
  readonly calls: ReadonlyMap<SystemName, number>;
  readonly results: Results;
}

async function compared(bench: Bench, program: AgainstProgram, count: number, kind: Kind): Promise<Compared> {
  const rounds = new Map<SystemName, Measured[]>(kind.systems.map((system) => [system, []]));
  const calls = new Map<SystemName, number>();
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const system of kind.systems) {
      const measured = await program.run(system, { ...kind.calls, duration_ms: ROUND_MS });
      calls.set(system, (calls.get(system) ?? 0) + measured.calls);
      if (round > 0) rounds.get(system)?.push(measured);
    }
  }
  const results = new Map([...rounds].map(([system, measured]) => [system, overall(measured)]));
  const ours = rounds.get('mneme') ?? [];
  const theirs = rounds.get('pgvector') ?? [];
  const ratio = median(ours.map(({ perSecond }, round) => perSecond / (theirs[round]?.perSecond ?? Number.NaN)));
  const [subject, limit] = [results.get('mneme'), results.get('pgvector')];
  if (!subject || !limit) throw new Error('both are measured');
  bench.add({
    part: PART,
    what: `${named(kind)}, of ${count}`,
    subject,
    limit,
    limitName: 'pgvector',
    beside: new Map([...results].filter(([system]) => system !== 'mneme' && system !== 'pgvector')),
    ratio,
    wanted: kind.wanted?.(ratio, results),
  });
  return { calls, results };
}

function named({ what, calls }: Kind): string {
  return `${what}, ${calls.in_flight} in flight`;
}

function p99Of(results: Results, system: SystemName): number {
  return results.get(system)?.p99Us ?? Number.NaN;
}
