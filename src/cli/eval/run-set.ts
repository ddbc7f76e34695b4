import {
  type Mneme,
  type NewMemory,
  NotFoundError,
  PreciseDate,
  type RecallQuery,
} from '../../../clients/typescript/src/index.ts';
import { CANDIDATES_MAX, type FeatureFile } from './feature-file.ts';
import type { Conversation, Question, SetMemory } from './question-set.ts';
import type { Ranking } from './score.ts';

const BATCH_COUNT = 500;
/** Half of what a request may hold: texts count three bytes a character at most. */
const BATCH_CHARACTERS = 700_000;

export interface RunOptions {
  readonly pooled: boolean;
  /** Hits asked for per question. */
  readonly limit: number;
  /** Distinguishes the namespaces of this run from those of others on the same server. */
  readonly runId: string;
  /** Takes away afterwards what was stored. */
  readonly cleanUp: boolean;
  readonly signal: AbortSignal;
  /** Takes down what the ranker saw. */
  readonly features?: FeatureFile;
  readonly onStored: (count: number) => void;
  readonly onAsked: (count: number) => void;
}

export interface Run {
  readonly rankings: readonly Ranking[];
  readonly latenciesMs: readonly number[];
  readonly importMs: number;
}

/** Memories that belong together, and what is asked of them. */
interface Part {
  readonly namespace: string;
  readonly memories: readonly NewMemory[];
  readonly questions: readonly Question[];
}

/** Stores everything, asks everything. */
export async function runSet(mneme: Mneme, set: readonly Conversation[], options: RunOptions): Promise<Run> {
  const parts = partsOf(set, options);
  try {
    const startedAtMs = performance.now();
    const originals = new Map<string, string>();
    for (const part of parts) await storeAll(mneme, part, originals, options);
    const importMs = performance.now() - startedAtMs;
    const homes = new Map(set.flatMap((one) => one.questions.map((question) => [question, one.conversation_id])));
    return { ...(await askAll(mneme, parts, { originals, homes }, options)), importMs };
  } finally {
    if (options.cleanUp) await eraseParts(mneme, parts);
  }
}

async function eraseParts(mneme: Mneme, parts: readonly Part[]): Promise<void> {
  for (const { namespace } of parts) {
    await mneme.namespaces.delete(namespace, { force: true }).catch((error: unknown) => {
      if (error instanceof NotFoundError) return;
      process.stderr.write(`mneme: left behind: namespace ${namespace}: ${error}\n`);
    });
  }
}

function partsOf(set: readonly Conversation[], { pooled, runId }: RunOptions): Part[] {
  const memoriesOf = (conversation: Conversation) => newMemories(conversation, pooled);
  if (pooled) {
    const namespace = `eval-${runId}-pooled`;
    return [{ namespace, memories: set.flatMap(memoriesOf), questions: set.flatMap(({ questions }) => questions) }];
  }
  return set.map((conversation, index) => ({
    namespace: `eval-${runId}-${index}`,
    memories: memoriesOf(conversation),
    questions: conversation.questions,
  }));
}

function newMemories({ conversation_id, memories }: Conversation, pooled: boolean): NewMemory[] {
  const countInSession = new Map<string, number>();
  return memories.map((memory) => {
    const second = countInSession.get(memory.session) ?? 0;
    countInSession.set(memory.session, second + 1);
    return {
      text: memory.text,
      eventTime: new PreciseDate((startMs(memory) + second * 1000) * 1000),
      scope: { session: pooled ? `${conversation_id}/${memory.session}` : memory.session },
      source: { uri: memory.id, ...(memory.speaker !== '' && { speaker: memory.speaker }) },
    };
  });
}

function startMs({ date_iso: text }: SetMemory): number {
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/.test(text);
  return PreciseDate.from(hasZone || !text.includes('T') ? text : `${text}Z`).getTime();
}

/** Notes under which name each memory was stored. */
async function storeAll(mneme: Mneme, part: Part, originals: Map<string, string>, options: RunOptions): Promise<void> {
  const target = mneme.in(part.namespace);
  for (const batch of batchesOf(part.memories)) {
    const receipts = await target.batchStore(batch, { signal: options.signal });
    for (const [index, { name }] of receipts.entries()) originals.set(name, batch[index]?.source?.uri ?? '');
    options.onStored(batch.length);
  }
}

function* batchesOf(memories: readonly NewMemory[]): Generator<NewMemory[]> {
  let batch: NewMemory[] = [];
  let characters = 0;
  for (const memory of memories) {
    const { length } = memory.text ?? '';
    if (batch.length === BATCH_COUNT || (batch.length > 0 && characters + length > BATCH_CHARACTERS)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(memory);
    characters += length;
  }
  if (batch.length > 0) yield batch;
}

/** One question after the other, so that a latency is that of one question. */
async function askAll(
  mneme: Mneme,
  parts: readonly Part[],
  { originals, homes }: { originals: ReadonlyMap<string, string>; homes: ReadonlyMap<Question, string> },
  { limit, signal, features, onAsked }: RunOptions,
): Promise<Pick<Run, 'rankings' | 'latenciesMs'>> {
  const rankings: Ranking[] = [];
  const latenciesMs: number[] = [];
  for (const { namespace, questions } of parts) {
    const target = mneme.in(namespace);
    for (const question of questions) {
      const { id, text, category, evidence } = question;
      const explained = features ? { explain: true, limit: CANDIDATES_MAX } : { limit };
      const { hits, latencyMs } = await answered(target, { text, view: 'metadata', ...explained }, signal);
      latenciesMs.push(latencyMs);
      const ranked = hits.map(({ memory }) => originals.get(memory.name) ?? memory.name);
      features?.add(homes.get(question) ?? '', question, hits, ranked);
      rankings.push({ questionId: id, category, evidence, ranked: ranked.slice(0, limit) });
      onAsked(1);
    }
  }
  return { rankings, latenciesMs };
}

/** Until the server has read what it was given, it answers in another order and says so: then it is asked again. */
async function answered(target: Mneme, query: RecallQuery, signal: AbortSignal) {
  for (;;) {
    const startedAtMs = performance.now();
    const { hits, degraded } = await target.recall(query, { signal });
    if (!degraded.some(({ part }) => part === 'ranker')) return { hits, latencyMs: performance.now() - startedAtMs };
  }
}
