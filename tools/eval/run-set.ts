import {
  InvalidArgumentError,
  type Memory,
  type Mneme,
  type NewMemory,
  NotFoundError,
  PreciseDate,
  type RecallHit,
  type RecallQuery,
  type Tier,
} from '../../clients/typescript/src/index.ts';
import { CommandFailure } from '../../src/cli/failure.ts';
import { CANDIDATES_MAX, type Conversation, type FeatureFile, type Question, type SetMemory } from './question-set.ts';
import { HITS_JUDGED, type Ranking } from './score.ts';

const BATCH_COUNT = 500;
/** Half of the maximum size of a request: a character has at most three bytes. */
const BATCH_CHARACTERS = 700_000;

export interface RunOptions {
  readonly pooled: boolean;
  /** Keeps most memories in lower tiers, and checks that each is returned unchanged. */
  readonly smallTiers: boolean;
  /** Settings of the tiers in addition to the small limits. */
  readonly settings: Readonly<Record<string, string>>;
  /** Hits asked for per question. */
  readonly limit: number;
  /** Distinguishes the namespaces of this run from others on the same server. */
  readonly runId: string;
  /** Deletes the stored memories afterwards. */
  readonly cleanUp: boolean;
  readonly signal: AbortSignal;
  /** Asks each question of the next conversation as well, which has no answer to it; only where they are not pooled. */
  readonly unanswerable?: boolean;
  /** Records the ranker's features. */
  readonly features?: FeatureFile;
  readonly onStored: (count: number) => void;
  /** Called for each memory that the server refuses. */
  readonly onRefused: (what: string) => void;
  readonly onAsked: (count: number) => void;
}

export interface Run {
  readonly rankings: readonly Ranking[];
  readonly latenciesMs: readonly number[];
  /** Relevance of the first hits of each question that was asked of another conversation. */
  readonly unanswered: readonly (readonly number[])[];
  readonly importMs: number;
  /** Memories by tier; only with small tiers. */
  readonly tiers: ReadonlyMap<Tier, number>;
}

/** A group of memories and the questions about them. */
export interface Part {
  readonly namespace: string;
  readonly memories: readonly NewMemory[];
  readonly questions: readonly Question[];
}

/** Stores all memories, then asks all questions. */
export async function runSet(mneme: Mneme, set: readonly Conversation[], options: RunOptions): Promise<Run> {
  const parts = partsOf(set, options);
  try {
    const startedAtMs = performance.now();
    const originals = new Map<string, string>();
    for (const part of parts) {
      if (options.smallTiers) await createWithSmallTiers(mneme, part.namespace, options.settings);
      await storeAll(mneme, part, originals, options);
    }
    const importMs = performance.now() - startedAtMs;
    const tiers = options.smallTiers
      ? await lowerAll(mneme, storedOf(parts, originals), options.signal)
      : new Map<Tier, number>();
    const homes = new Map(set.flatMap((one) => one.questions.map((question) => [question, one.conversation_id])));
    return { ...(await askAll(mneme, parts, { originals, homes }, options)), importMs, tiers };
  } finally {
    if (options.cleanUp) await eraseParts(mneme, parts);
  }
}

/** The parts without refused memories. */
function storedOf(parts: readonly Part[], originals: ReadonlyMap<string, string>): Part[] {
  const stored = new Set(originals.values());
  return parts.map((part) => ({
    ...part,
    memories: part.memories.filter(({ source }) => stored.has(source?.uri ?? '')),
  }));
}

async function lowerAll(mneme: Mneme, parts: readonly Part[], signal: AbortSignal): Promise<Map<Tier, number>> {
  const sums = new Map<Tier, number>();
  for (const part of parts) {
    const tiers = await lowerAndCheck(mneme, part, signal);
    for (const [tier, count] of tiers) sums.set(tier, (sums.get(tier) ?? 0) + count);
  }
  return sums;
}

async function eraseParts(mneme: Mneme, parts: readonly Part[]): Promise<void> {
  for (const { namespace } of parts) {
    await mneme.namespaces.delete(namespace, { force: true }).catch((error: unknown) => {
      if (error instanceof NotFoundError) return;
      process.stderr.write(`mneme: left behind: namespace ${namespace}: ${error}\n`);
    });
  }
}

export function partsOf(set: readonly Conversation[], { pooled, runId }: Pick<RunOptions, 'pooled' | 'runId'>): Part[] {
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

type StoreOptions = Pick<RunOptions, 'signal' | 'onStored' | 'onRefused'>;

/** Notes under which name each memory was stored. */
export async function storeAll(
  mneme: Mneme,
  part: Part,
  originals: Map<string, string>,
  options: StoreOptions,
): Promise<void> {
  const target = mneme.withNamespace(part.namespace);
  for (const batch of batchesOf(part.memories)) {
    const stored = await storeBatch(target, batch, options);
    for (const { name, memory } of stored) originals.set(name, memory.source?.uri ?? '');
    options.onStored(batch.length);
  }
}

interface Stored {
  readonly name: string;
  readonly memory: NewMemory;
}

/** Stores all valid memories; the server names the invalid ones, or each is stored separately. */
async function storeBatch(target: Mneme, batch: readonly NewMemory[], options: StoreOptions): Promise<Stored[]> {
  try {
    const receipts = await target.batchStore(batch, { signal: options.signal });
    return receipts.flatMap(({ name }, at) => (batch[at] ? [{ name, memory: batch[at] }] : []));
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const [only] = batch;
    if (batch.length === 1 && only) {
      options.onRefused(`${only.source?.uri ?? ''}: ${error.message}`);
      return [];
    }
    const named = new Set(error.violations.map(({ field }) => Number(/^requests\[(\d+)\]/.exec(field)?.[1] ?? -1)));
    const isNamed = named.size > 0 && !named.has(-1);
    const rest = isNamed ? [batch.filter((_, at) => !named.has(at))] : [];
    const alone = batch.filter((_, at) => !isNamed || named.has(at)).map((memory) => [memory]);
    const stored: Stored[] = [];
    for (const part of [...rest, ...alone])
      if (part.length > 0) stored.push(...(await storeBatch(target, part, options)));
    return stored;
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
  { limit, signal, features, unanswerable, onAsked }: RunOptions,
): Promise<Pick<Run, 'rankings' | 'latenciesMs' | 'unanswered'>> {
  const rankings: Ranking[] = [];
  const latenciesMs: number[] = [];
  for (const { namespace, questions } of parts) {
    const target = mneme.withNamespace(namespace);
    for (const question of questions) {
      const { id, text, category, evidence } = question;
      const explained = features ? { explain: true, limit: CANDIDATES_MAX } : { limit };
      const { hits, latencyMs } = await answered(target, { text, view: 'metadata', ...explained }, signal);
      latenciesMs.push(latencyMs);
      const ranked = hits.map(({ memory }) => originals.get(memory.name) ?? memory.name);
      features?.add(homes.get(question) ?? '', question, hits, ranked);
      const relevances = hits.slice(0, Math.min(limit, HITS_JUDGED)).map(relevanceOf);
      rankings.push({ questionId: id, category, evidence, ranked: ranked.slice(0, limit), relevances });
      onAsked(1);
    }
  }
  return { rankings, latenciesMs, unanswered: unanswerable ? await askOthers(mneme, parts, { limit, signal }) : [] };
}

/** Every question of the conversation after its own. */
async function askOthers(
  mneme: Mneme,
  parts: readonly Part[],
  { limit, signal }: Pick<RunOptions, 'limit' | 'signal'>,
): Promise<number[][]> {
  const unanswered: number[][] = [];
  for (const [place, { questions }] of parts.entries()) {
    const target = mneme.withNamespace(parts[(place + 1) % parts.length]?.namespace ?? '');
    for (const { text } of questions) {
      const { hits } = await answered(target, { text, view: 'metadata', limit: Math.min(limit, HITS_JUDGED) }, signal);
      unanswered.push(hits.map(relevanceOf));
    }
  }
  return unanswered;
}

function relevanceOf({ relevance }: RecallHit): number {
  return relevance;
}

/** Parts of the server that analyse memories after they are stored. */
const READERS = new Set(['ranker', 'passages', 'encoder']);

/**
 * All hits, relevant or not. Until the server has analysed its memories, its order differs and it reports so: the question
 * is then repeated.
 */
async function answered(target: Mneme, query: RecallQuery, signal: AbortSignal) {
  for (;;) {
    const startedAtMs = performance.now();
    const { hits, degraded } = await target.recall({ ...query, minRelevance: 0 }, { signal });
    if (!degraded.some(({ part }) => READERS.has(part))) return { hits, latencyMs: performance.now() - startedAtMs };
  }
}

/** Limits so small that most memories of a conversation move to the lower tiers. */
const SETTINGS = {
  'short_term.memory_limit': 50,
  'intermediate.memory_limit': 150,
  'short_term.ttl': 'none',
  'intermediate.ttl': 'none',
};

async function createWithSmallTiers(
  mneme: Mneme,
  namespace: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  await mneme.namespaces.create(namespace, { settings: { ...SETTINGS, ...settings } });
}

/** Moves memories above the limits down, and fails when one is not returned unchanged. */
async function lowerAndCheck(
  mneme: Mneme,
  { namespace, memories }: { readonly namespace: string; readonly memories: readonly NewMemory[] },
  signal: AbortSignal,
): Promise<ReadonlyMap<Tier, number>> {
  for await (const step of mneme.admin.maintainTiers({ namespace }, { signal })) {
    if (step.damagedIds.length > 0) throw new CommandFailure(`damaged memories in ${namespace}: ${step.damagedIds}`);
  }
  const byUri = new Map(memories.map((memory) => [memory.source?.uri ?? '', memory]));
  const tiers = new Map<Tier, number>();
  let count = 0;
  for await (const memory of mneme.withNamespace(namespace).list({ view: 'full', pageSize: 500 }, { signal })) {
    const original = byUri.get(memory.source.uri ?? '');
    if (!original || !isUnchanged(memory, original)) {
      throw new CommandFailure(`${memory.name} in ${memory.tier} is not as it was stored`);
    }
    count++;
    tiers.set(memory.tier, (tiers.get(memory.tier) ?? 0) + 1);
  }
  if (count !== memories.length) throw new CommandFailure(`${namespace} holds ${count} of ${memories.length} memories`);
  return tiers;
}

function isUnchanged(memory: Memory, original: NewMemory): boolean {
  return (
    memory.text === original.text &&
    memory.scope.session === original.scope?.session &&
    (memory.source.speaker ?? '') === (original.source?.speaker ?? '') &&
    memory.eventTime.getTime() === (original.eventTime as Date).getTime()
  );
}
