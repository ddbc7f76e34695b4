import type { Mneme } from '../../clients/typescript/src/index.ts';
import { vectorOf } from './folder-contents.ts';

/** What every version of the server can store, and what it reads and recalls afterwards. */
const START_MS = Date.parse('2026-11-01T08:00:00Z');
const HOUR_MS = 3_600_000;
const MESSAGES = [
  'Nina works as a nurse in Bergen',
  'The harbour was closed because of a storm',
  'Tom plays the cello on Fridays',
  'The invoice of March is not paid',
  'Anna is allergic to peanuts',
  'The market opens at seven',
].map((text, n) => ({
  id: `m${n}`,
  text,
  eventTime: new Date(START_MS + n * HOUR_MS),
  step: n,
  importance: (n % 5) / 5,
  tags: n % 2 ? ['odd'] : ['even', 'kept'],
  scope: { project: 'p', agent: n % 2 ? 'a' : 'b', session: `s${n % 2}` },
  source: { speaker: n % 2 ? 'Nina' : 'Tom' },
  embedding: { model: 'fixture', values: vectorOf(n) },
}));
const STATES = [1, 2, 3].map((step) => ({
  id: `state-${step}`,
  type: 'state' as const,
  content: { position: [step, 9], room: 'hall' },
  step,
}));
const CHANGED = { id: 'm3', text: 'The invoice of March is paid', importance: 0.9 };
const WORKING = { plan: { steps: ['read', 'write'] }, done: 3 };

export const MEMORY_COUNT = MESSAGES.length - 1 + STATES.length;

/** The calls of the client of the version that writes the folder; `states`: the same in another namespace. */
export interface BasicCalls {
  readonly messages: Pick<Mneme, 'store' | 'update' | 'delete'>;
  readonly states: Pick<Mneme, 'store'>;
  /** Absent in versions without working memory. */
  readonly working: { set(key: string, value: object | number): Promise<unknown> } | undefined;
}

export async function storeBasics({ messages: mneme, states, working }: BasicCalls): Promise<void> {
  for (const memory of MESSAGES) await mneme.store(memory);
  for (const memory of STATES) await states.store(memory);
  const { id, ...changes } = CHANGED;
  await mneme.update(id, changes);
  await mneme.delete('m5');
  if (working) for (const [key, value] of Object.entries(WORKING)) await working.set(key, value);
}

/** Of a message only what its text was changed to; a vector belongs to the text that it was made of. */
export function expectedBasics(hasSessions: boolean): unknown {
  const messages = MESSAGES.filter(({ id }) => id !== 'm5').map(({ embedding, source, eventTime, ...memory }) => ({
    ...memory,
    ...(memory.id === CHANGED.id ? CHANGED : { values: [...Float32Array.from(embedding.values)] }),
    speaker: source.speaker,
    eventTime: eventTime.toISOString(),
  }));
  return {
    messages,
    states: STATES,
    revisions: [CHANGED.text, MESSAGES[3]?.text],
    working: hasSessions ? WORKING : {},
    recalled: ['m2', 'm1', 'm4', 'm0', 'state-2'],
  };
}

/** The same as a server reads it. */
export async function readBasics(mneme: Mneme, hasSessions: boolean): Promise<unknown> {
  const messages: unknown[] = [];
  for await (const memory of mneme.list({ view: 'full', order: 'step_asc' })) {
    const { id, text, step, importance, tags, scope, source, eventTime, embedding } = memory;
    const values = id === CHANGED.id || !embedding ? {} : { values: [...embedding.values] };
    const speaker = source?.speaker;
    messages.push({
      id,
      text,
      step,
      importance,
      tags,
      scope: { ...scope },
      speaker,
      eventTime: eventTime.toISOString(),
      ...values,
    });
  }
  const states: unknown[] = [];
  for await (const { id, type, content, step } of mneme
    .withNamespace('states')
    .list({ view: 'full', order: 'step_asc' })) {
    states.push({ id, type, content: content?.json(), step });
  }
  const revisions: string[] = [];
  for await (const { memory } of mneme.listRevisions(CHANGED.id)) revisions.push(memory.text);
  const working: Record<string, unknown> = {};
  if (hasSessions) for await (const { key, value } of mneme.session('work').getAll()) working[key] = value.json();
  return { messages, states, revisions, working, recalled: await recalled(mneme) };
}

/** First hits of questions that have one answer. */
async function recalled(mneme: Mneme): Promise<unknown> {
  const weights = { recency: 0, importance: 0 };
  const byVector = (n: number) => ({ embedding: { model: 'fixture', values: vectorOf(n) }, weights, limit: 1 });
  const answers = await Promise.all([
    mneme.recall({ text: 'who plays the cello', weights, limit: 1 }),
    mneme.recall({ text: 'why was the harbour closed', weights, limit: 1 }),
    mneme.recall({ ...byVector(4), exact: true }),
    mneme.recall(byVector(0)),
    mneme.withNamespace('states').recall({ text: 'hall', weights, limit: 1, filter: 'step = 2' }),
  ]);
  return answers.map(({ hits }) => hits[0]?.memory.id);
}
