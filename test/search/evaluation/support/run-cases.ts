import { type Mneme, type NewMemory, PreciseDate, type RecallHit } from '../../../../clients/typescript/src/index.ts';
import { RELEVANT_MIN } from '../../../../src/memory/limits.ts';
import type { CaseMemory, SmallCase } from './case-files.ts';

const HITS_SHOWN = 3;

export interface Outcome {
  readonly one: SmallCase;
  readonly isRight: boolean;
  /** The first hits, best first. */
  readonly hits: readonly { readonly score: number; readonly place: number }[];
}

/** Asks each case with default settings, those about the same memories in one namespace. */
export async function runCases(mneme: Mneme, cases: readonly SmallCase[], prefix: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const stored = new Map<SmallCase['memories'], Stored>();
  for (const [number, one] of cases.entries()) {
    const known = stored.get(one.memories) ?? (await storedIn(mneme.withNamespace(`${prefix}-${number}`), one));
    stored.set(one.memories, known);
    outcomes.push(await outcomeOf(known, one));
  }
  return outcomes;
}

interface Stored {
  readonly target: Mneme;
  /** Place of each memory by its name. */
  readonly places: ReadonlyMap<string, number>;
}

async function storedIn(target: Mneme, { memories }: SmallCase): Promise<Stored> {
  const receipts = await target.batchStore(memories.map(newMemory));
  return { target, places: new Map(receipts.map(({ name }, place) => [name, place])) };
}

async function outcomeOf({ target, places }: Stored, one: SmallCase): Promise<Outcome> {
  const hits = await settledHits(target, one);
  const found = hits.map(({ memory, score }) => ({ score, place: places.get(memory.name) ?? -1 }));
  return { one, isRight: isRight(one, found, hits), hits: found };
}

/** Until the server has analysed its memories, its order differs and it reports so: the question is then repeated. */
async function settledHits(target: Mneme, { question, now }: SmallCase): Promise<readonly RecallHit[]> {
  for (;;) {
    const { hits, degraded } = await target.recall({ text: question, limit: HITS_SHOWN, referenceTime: now });
    if (!degraded.some(({ part }) => ['ranker', 'passages', 'encoder'].includes(part))) return hits;
  }
}

function isRight({ expected, mustShow }: SmallCase, found: Outcome['hits'], hits: readonly RecallHit[]): boolean {
  if (expected === undefined) return !hits.some(isRelevant);
  return found[0]?.place === expected && (!mustShow || hits.slice(0, 1).some(isRelevant));
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
