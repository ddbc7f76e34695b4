import { cpSync } from 'node:fs';
import type { Memory, Mneme, NewMemory } from '../../../clients/typescript/src/index.ts';
import { where } from '../../../clients/typescript/src/index.ts';
import type { TestRandom } from '../../support/random.ts';
import { startServer } from './server.ts';

export const SPACES = ['alpha', 'beta'] as const;
const COUNT = 100;
const LATER_COUNT = 12;
const WORDS = 'garden rain cello market harbour winter letter engine bread river lamp meadow clock paper'.split(' ');
export const QUESTIONS = ['the garden in the rain', 'a letter about bread', 'winter harbour'];
export const AGENTS = ['ada', 'bob', 'cyn'];

/** What a healthy server answered. */
export interface Stored {
  readonly memories: ReadonlyMap<string, ReadonlyMap<string, Memory>>;
  /** Ids of hits, by namespace and question. */
  readonly recalled: ReadonlyMap<string, string>;
  /** Values of a session, by key. */
  readonly values: ReadonlyMap<string, string>;
}

/** Fills a folder, stops its server, and returns all that it holds. */
export async function fill(folder: string, random: TestRandom): Promise<Stored> {
  const filling = await startServer(folder);
  for (const space of SPACES) await store(filling.mneme.withNamespace(space), random);
  await setValues(filling.mneme, random, 0, 30);
  await filling.stop();
  cpSync(folder, olderThan(folder), { recursive: true });
  const later = await startServer(folder);
  await storeLater(later.mneme.withNamespace('beta'), random);
  await setValues(later.mneme, random, 30, 60);
  await later.stop();
  // Answers after a restart are those of the files.
  const copy = `${folder}-read`;
  cpSync(folder, copy, { recursive: true });
  const reading = await startServer(copy);
  const memories = new Map<string, Map<string, Memory>>();
  const recalled = new Map<string, string>();
  for (const space of SPACES) {
    const mneme = reading.mneme.withNamespace(space);
    const all = new Map<string, Memory>();
    for await (const { id } of mneme.list()) all.set(id, await mneme.get(id));
    memories.set(space, all);
  }
  const values = new Map<string, string>();
  for (let n = 0; n < 60; n++) {
    values.set(`key${n}`, JSON.stringify(await reading.mneme.withNamespace('alpha').session('s').get(`key${n}`)));
  }
  await reading.stop();
  for (const ranker of ['fusion', 'learned'] as const) {
    const server = await startServer(copy, ranker);
    for (const space of SPACES) {
      const mneme = server.mneme.withNamespace(space);
      for (const text of QUESTIONS) recalled.set(`${ranker} ${space} ${text}`, await settledAnswer(mneme, text));
    }
    await server.stop();
  }
  return { memories, recalled, values };
}

/** A copy of the filled folder before its last writes. */
export function olderThan(folder: string): string {
  return `${folder}-older`;
}

async function setValues(mneme: Mneme, random: TestRandom, from: number, to: number): Promise<void> {
  const session = mneme.withNamespace('alpha').session('s');
  for (let n = from; n < to; n++) await session.set(`key${n}`, { json: { n, words: textOf(random, 40) } });
}

/** The answer once nothing is being read any more. */
async function settledAnswer(mneme: Mneme, text: string): Promise<string> {
  for (;;) {
    const { hits, degraded } = await mneme.recall({ text, limit: 20, minRelevance: 0 });
    if (degraded.length === 0) return hits.map(({ memory }) => memory.id).join();
  }
}

async function store(mneme: Mneme, random: TestRandom): Promise<void> {
  const memories = Array.from({ length: COUNT }, (_, n): NewMemory & { readonly id: string } => ({
    id: `m${n}`,
    text: textOf(random, n % 20 === 0 ? 900 : 8 + random.int(30)),
    ...(n % 4 === 0 && { content: { of: n, place: random.pick(WORDS) } }),
    ...(n % 30 === 0 && { content: { data: textOf(random, 2000) } }),
    tags: [random.pick(WORDS), `t${n % 7}`],
    scope: { agent: AGENTS[n % AGENTS.length] ?? '', session: `s${n % 10}` },
    importance: (n % 10) / 10,
    ...(n % 3 === 0 && { step: n }),
    ...(n % 5 === 0 && { embedding: { model: 'm', values: Float32Array.from({ length: 16 }, () => random.next()) } }),
  }));
  await mneme.batchStore(memories.slice(0, COUNT / 2));
  await mneme.batchStore(memories.slice(COUNT / 2));
  const moved = memories.filter((_, n) => n % 6 === 0).map(({ id }) => id);
  await mneme.demote(moved, { toTier: 'long_term' });
  for (let n = 0; n < 20; n++) await mneme.update(`m${n * 3}`, { text: textOf(random, 20) });
}

/** In the namespace whose rows come last in each table: pages get more rows. */
async function storeLater(mneme: Mneme, random: TestRandom): Promise<void> {
  for (let n = 0; n < LATER_COUNT; n++) {
    const embedding = { model: 'm', values: Float32Array.from({ length: 16 }, () => random.next()) };
    await mneme.store({
      id: `later${n}`,
      text: textOf(random, 12),
      scope: { agent: 'cyn' },
      tags: ['late'],
      embedding,
    });
  }
}

function textOf(random: TestRandom, words: number): string {
  return Array.from({ length: words }, () => random.pick(WORDS)).join(' ');
}

export const FILTERS = [
  { name: 'agent', filter: where.agent.equals('ada'), admits: (memory: Memory) => memory.scope.agent === 'ada' },
  { name: 'tag', filter: where.tag.equals('t3'), admits: (memory: Memory) => memory.tags.includes('t3') },
  { name: 'words', filter: where.text.contains('cello'), admits: (memory: Memory) => memory.text.includes('cello') },
] as const;
