import { isDeepStrictEqual } from 'node:util';
import {
  DataLossError,
  type Memory,
  type Mneme,
  MnemeError,
  UnavailableError,
} from '../../../clients/typescript/src/index.ts';
import type { Ranker } from './server.ts';
import { FILTERS, QUESTIONS, SPACES, type Stored } from './stored.ts';

/** Parts of recall that are still being read after a start. */
const WARMING = new Set(['encoder', 'ranker', 'passages']);

/** What a server with damaged pages answered, and what was wrong about it. */
export interface Answers {
  readonly faults: string[];
  /** Calls that reported damage: an error, or names in `damaged` or `degraded`. */
  reportCount: number;
  /** Calls that answered in full. */
  wholeCount: number;
  /** Lists, counts and recalls that failed altogether. */
  readonly refused: string[];
}

/** Asks for everything that was stored. */
export async function askAll(mneme: Mneme, stored: Stored, ranker: Ranker): Promise<Answers> {
  const answers: Answers = { faults: [], reportCount: 0, wholeCount: 0, refused: [] };
  for (const space of SPACES) {
    const of = mneme.withNamespace(space);
    const memories = stored.memories.get(space) ?? new Map<string, Memory>();
    await askEach(of, space, memories, answers);
    await askLists(of, space, memories, answers);
    await askRecalls(of, `${ranker} ${space}`, memories, stored, answers);
    await askToStore(of, space, answers);
  }
  await askValues(mneme.withNamespace('alpha'), stored, answers);
  return answers;
}

async function askEach(mneme: Mneme, space: string, memories: ReadonlyMap<string, Memory>, answers: Answers) {
  const gets = [...memories].map(([id, memory]) =>
    asking(`Get ${space}/${id}`, answers, async () => sameAs(memory, await mneme.get(id))),
  );
  await Promise.all(gets);
  await asking(`BatchGet ${space}`, answers, async () => {
    const ids = [...memories.keys()];
    const { memories: got, damagedIds, missingIds } = await mneme.batchGet(ids);
    if (missingIds.length > 0) return `missing: ${missingIds.join()}`;
    return allOrNamed(memories, got, damagedIds, answers);
  });
}

async function askLists(mneme: Mneme, space: string, memories: ReadonlyMap<string, Memory>, answers: Answers) {
  const listed = (query: object) => async () => {
    const got: Memory[] = [];
    const damaged: string[] = [];
    let pageToken = '';
    do {
      const page = await mneme.listPage({ ...query, pageSize: 50, ...(pageToken !== '' && { pageToken }) });
      got.push(...page.memories);
      damaged.push(...page.damagedIds);
      pageToken = page.nextPageToken ?? '';
    } while (pageToken !== '');
    return { got, damaged };
  };
  for (const order of [
    'create_time_desc',
    'create_time_asc',
    'event_time_asc',
    'importance_desc',
    'step_asc',
  ] as const) {
    await asking(`List ${space} ${order}`, answers, async () => {
      const { got, damaged } = await listed({ order })();
      return allOrNamed(memories, got, damaged, answers);
    });
  }
  for (const { name, filter, admits } of FILTERS) {
    const wanted = new Map([...memories].filter(([, memory]) => admits(memory)));
    await asking(`List ${space} by ${name}`, answers, async () => {
      const { got, damaged } = await listed({ filter })();
      return allOrNamed(wanted, got, damaged, answers);
    });
    await asking(`Count ${space} by ${name}`, answers, async () => {
      const { count } = await mneme.count({ filter });
      return count === wanted.size ? undefined : `${count} instead of ${wanted.size}`;
    });
  }
  await asking(`Export ${space}`, answers, async () => {
    const damaged: string[] = [];
    const got: Memory[] = [];
    for await (const memory of mneme.exportMemories({ onDamaged: (ids) => damaged.push(...ids) })) got.push(memory);
    const plain = got.map(({ embedding: _, ...memory }) => memory as Memory);
    return allOrNamed(memories, plain, damaged, answers);
  });
}

async function askRecalls(
  mneme: Mneme,
  space: string,
  memories: ReadonlyMap<string, Memory>,
  stored: Stored,
  answers: Answers,
) {
  for (const text of QUESTIONS) {
    await asking(`Recall ${space} "${text}"`, answers, async () => {
      const { hits, damagedIds, degraded } = await mneme.recall({ text, limit: 20, minRelevance: 0 });
      for (const { memory } of hits) {
        const expected = memories.get(memory.id);
        if (!expected) continue;
        const wrong = sameAs(expected, memory);
        if (wrong) return wrong;
      }
      if (damagedIds.length > 0 || degraded.some(({ part }) => !WARMING.has(part))) answers.reportCount++;
      if (degraded.length + damagedIds.length > 0) return undefined;
      const ids = hits.map(({ memory }) => memory.id).join();
      const whole = stored.recalled.get(`${space} ${text}`);
      return ids === whole ? undefined : `another list, not degraded: ${ids} instead of ${whole}`;
    });
  }
}

async function askToStore(mneme: Mneme, space: string, answers: Answers) {
  await asking(`Store ${space}`, answers, async () => {
    const text = 'zebra quagga';
    await mneme.store({ id: 'new', text, tags: ['later'] });
    const got = await mneme.get('new');
    if (got.text !== text) return `read back ${got.text}`;
    await mneme.update('new', { text: 'zebra okapi' });
    await mneme.delete('new');
    return undefined;
  });
}

async function askValues(mneme: Mneme, stored: Stored, answers: Answers) {
  const gets = [...stored.values].map(([key, value]) =>
    asking(`session value ${key}`, answers, async () => {
      const got = JSON.stringify(await mneme.session('s').get(key));
      return got === value ? undefined : `${got} instead of ${value}`;
    }),
  );
  await Promise.all(gets);
}

/** `ask` returns what is wrong about an answer; an error must say that data is damaged. */
async function asking(name: string, answers: Answers, ask: () => Promise<string | undefined>): Promise<void> {
  try {
    const wrong = await ask();
    if (wrong === undefined) answers.wholeCount++;
    else answers.faults.push(`${name}: ${wrong}`);
  } catch (error) {
    const isRefused = error instanceof DataLossError || (error instanceof UnavailableError && name.startsWith('Store'));
    if (!isRefused) {
      const { message } = error as Error;
      const code = error instanceof MnemeError ? `${error.name} ${error.reason} ` : '';
      answers.faults.push(`${name}: ${code}${message}`);
      return;
    }
    answers.reportCount++;
    if (!name.startsWith('Get')) answers.refused.push(name);
  }
}

function allOrNamed(
  wanted: ReadonlyMap<string, Memory>,
  got: readonly Memory[],
  damaged: readonly string[],
  answers: Answers,
): string | undefined {
  if (damaged.length > 0) answers.reportCount++;
  const named = new Set(damaged);
  const seen = new Set<string>();
  for (const memory of got) {
    if (memory.id === 'new') continue;
    if (seen.has(memory.id)) return `${memory.id} twice`;
    seen.add(memory.id);
    const expected = wanted.get(memory.id);
    if (!expected) return `${memory.id} does not belong there`;
    const wrong = sameAs(expected, memory);
    if (wrong) return wrong;
  }
  const lost = [...wanted.keys()].filter((id) => !seen.has(id) && !named.has(id));
  return lost.length === 0 ? undefined : `omits ${lost.join()} without naming them`;
}

function sameAs(expected: Memory, got: Memory): string | undefined {
  if (isDeepStrictEqual(got, expected)) return undefined;
  const parts = (Object.keys(expected) as (keyof Memory)[]).filter(
    (part) => !isDeepStrictEqual(got[part], expected[part]),
  );
  return `${expected.id} has another ${parts.join()}: ${JSON.stringify(got[parts[0] ?? 'id'])}`.slice(0, 300);
}
