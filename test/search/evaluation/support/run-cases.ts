import { type Mneme, type NewMemory, PreciseDate, type RecallHit } from '../../../../clients/typescript/src/index.ts';
import { RELEVANT_MIN } from '../../../../src/memory/recall-settings.ts';
import type { CaseMemory, SmallCase } from './case-files.ts';

const HITS_SHOWN = 3;

export interface Outcome {
  readonly one: SmallCase;
  readonly isRight: boolean;
  /** The first hits, best first. */
  readonly hits: readonly { readonly score: number; readonly place: number }[];
}

interface Stored {
  readonly target: Mneme;
  /** By the name of the memory. */
  readonly places: ReadonlyMap<string, number>;
}

/** Asks each case in a separate namespace, those that share memories in the same one, with default settings. */
export async function runCases(mneme: Mneme, cases: readonly SmallCase[], prefix: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const known = new Map<SmallCase['memories'], Stored>();
  for (const one of cases) {
    const stored =
      known.get(one.memories) ?? (await stores(mneme.withNamespace(`${prefix}-${known.size}`), one.memories));
    known.set(one.memories, stored);
    outcomes.push(await outcomeOf(stored, one));
  }
  return outcomes;
}

async function stores(target: Mneme, memories: SmallCase['memories']): Promise<Stored> {
  const receipts = await target.batchStore(memories.map(newMemory));
  return { target, places: new Map(receipts.map(({ name }, place) => [name, place])) };
}

async function outcomeOf({ target, places }: Stored, one: SmallCase): Promise<Outcome> {
  const hits = await settledHits(target, one);
  const found = hits.map(({ memory, score }) => ({ score, place: places.get(memory.name) ?? -1 }));
  return { one, isRight: isRight(one, found, hits), hits: found.slice(0, HITS_SHOWN) };
}

/** Until the server has analysed its memories, its order differs and it reports so: the question is then repeated. */
async function settledHits(target: Mneme, { question, now, within = 1 }: SmallCase): Promise<readonly RecallHit[]> {
  for (;;) {
    const { hits, degraded } = await target.recall({
      text: question,
      limit: Math.max(HITS_SHOWN, within),
      referenceTime: now,
      minRelevance: 0,
    });
    if (!degraded.some(({ part }) => ['ranker', 'passages', 'encoder'].includes(part))) return hits;
  }
}

function isRight(
  { expected, mustShow, within = 1 }: SmallCase,
  found: Outcome['hits'],
  hits: readonly RecallHit[],
): boolean {
  if (expected === undefined) return !hits.some(isRelevant);
  const first = found.slice(0, within).some(({ place }) => place === expected);
  return first && (!mustShow || hits.slice(0, 1).some(isRelevant));
}

function isRelevant({ relevance }: RecallHit): boolean {
  return relevance >= RELEVANT_MIN;
}

function newMemory({ text, speaker, content, eventTime }: CaseMemory): NewMemory {
  return {
    eventTime: PreciseDate.from(eventTime.toISOString()),
    ...(text !== undefined && { text }),
    ...(content && { type: 'state', content: content as NonNullable<NewMemory['content']> }),
    ...(speaker !== undefined && { source: { speaker } }),
  };
}
