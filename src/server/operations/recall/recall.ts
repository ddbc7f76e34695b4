import type { Call } from '../../../memory/call.ts';
import type { Clock } from '../../../memory/clock.ts';
import { deriveText, parsedContent } from '../../../memory/derive-text.ts';
import { invalidFields, isUnavailable, MnemeError, memoryNotFound } from '../../../memory/errors.ts';
import { type Embedding, type Memory, type Micros, UPPER_TIERS } from '../../../memory/memory.ts';
import { type ComparedState, comparedState, withVector } from '../../../memory/states/state.ts';
import type { Embedder } from '../../../search/embedding/embedder.ts';
import type {
  Degradation,
  HitRead,
  RecallEngine,
  RecallResult,
  RecallWeights,
} from '../../../search/recall/recall-engine.ts';
import type { Records } from '../../../storage/records.ts';
import type { View } from '../../../storage/view.ts';
import { readWithin } from '../memories/get-memories.ts';
import { waitForRevision } from '../memories/wait-for-revision.ts';
import {
  cutQuestion,
  type RecallAnswer,
  type RecallExample,
  type RecallHit,
  type RecallRequest,
} from './recall-request.ts';
import type { VisibilityDeps } from './seen-request.ts';

export interface RecallDeps extends VisibilityDeps {
  readonly store: Records;
  readonly view: View;
  readonly engine: RecallEngine;
  readonly embedder: Embedder;
  readonly clock: Clock;
}

/** The search cue, combined from every cue of the request. */
interface Cue {
  readonly text: string;
  readonly embedding?: Embedding;
  /** True when the vector came with the request or from a memory: the vector lane then has full weight. */
  readonly embeddingGiven: boolean;
  /** The engine makes the vector. */
  readonly embedText?: boolean;
  /** The example, or the similar memory, where it is a JSON object with numbers or labels. */
  readonly state?: ComparedState;
  readonly degraded: readonly Degradation[];
}

/** Finds the most relevant memories for the request's cues. Counts no retrievals. */
export async function recall(deps: RecallDeps, request: RecallRequest, call: Call): Promise<RecallAnswer> {
  const { store, engine, clock } = deps;
  await waitForRevision(store, request.minRevision, call);
  const nowUs = clock.nowUs();
  const cue = await cueOf(deps, request, nowUs, call);
  const weights = weightsOf(deps.embedder, request, cue);
  checkLanes(cue, weights);
  checkNearness(request, cue, weights);
  const result = await engine.search(
    {
      namespace: request.namespace,
      revision: store.revision,
      text: cue.text,
      embedding: cue.embedding,
      ...(cue.embedText ? { embedText: true } : {}),
      state: cue.state,
      isLearned: isLearned(request),
      filter: request.filter,
      scope: request.scope,
      excludeId: request.similarToId,
      minScore: request.minScore,
      minRelevance: request.minRelevance,
      minSimilarity: request.minSimilarity,
      diversity: request.diversity,
      isOncePerSession: request.isOncePerSession,
      limit: request.limit,
      ...(request.isPerTier ? { isPerTier: true } : {}),
      ...(request.isOncePerText ? { isOncePerText: true } : {}),
      weights,
      nearTime: request.nearTime,
      nearPlace: request.nearPlace,
      halfLifeUs: request.halfLifeUs,
      referenceUs: request.referenceUs,
      timeZone: request.timeZone,
      nowUs,
      validity: request.validity,
      explain: request.explain,
      neighborCount: request.neighborCount,
      exact: request.exact,
      scoring: request.scoring,
      deadlineAtMs: call.deadlineAtMs,
      caller: call.caller,
      ...(request.isOpen ? { read: hitReadOf(request) } : {}),
    },
    call.signal,
  );
  const { memories: _, ...found } = result;
  if (result.encodedHits) return { ...found, hits: [], degraded: [...cue.degraded, ...result.degraded] };
  const { hits, damagedIds, goneIds, degraded } = await readHits(store, request, result, nowUs);
  const top = new Set(result.hits.slice(0, request.limit).map(({ id }) => id));
  return {
    ...found,
    hits: hits.filter(({ memory }) => top.has(memory.id)),
    ...(request.isPerTier ? { further: hits.filter(({ memory }) => !top.has(memory.id)) } : {}),
    damagedIds,
    ...(goneIds.length > 0 && { goneIds }),
    degraded: [...cue.degraded, ...result.degraded, ...degraded],
  };
}

function hitReadOf({ view, bytesMax = Number.POSITIVE_INFINITY, mayEncode = false }: RecallRequest): HitRead {
  return { view, bytesMax, mayEncode };
}

async function cueOf(deps: RecallDeps, request: RecallRequest, nowUs: number, call: Call): Promise<Cue> {
  const texts = [request.text, exampleText(request)];
  let embedding = request.embedding;
  let state = request.state ?? stateOf(request.example);
  if (request.similarToId !== undefined) {
    const memory = await similarMemory(deps.store, request.namespace, request.similarToId, nowUs);
    texts.push(memory.text);
    embedding ??= memory.embedding;
    state ??= stateOf(memory);
  }
  const text = texts.filter((part) => part !== '').join('\n');
  const degraded = request.cutTextBytes === undefined ? [] : [cutQuestion(request.cutTextBytes)];
  if (embedding) return { text, embedding, embeddingGiven: true, state: state && withVector(state), degraded };
  // The vector of a text adds nothing to a state without texts.
  const isWithoutTexts = state?.textShare === 0 && request.text === '';
  const vector = isWithoutTexts ? { degraded: [] } : await embedded(deps, request, text, call);
  return {
    ...{ text, embeddingGiven: false, state, ...vector },
    degraded: [...degraded, ...vector.degraded],
  };
}

/** `undefined` where nothing but texts could be compared: their vectors are enough. */
function stateOf(memory: Pick<Memory, 'content'> | RecallExample | undefined): ComparedState | undefined {
  const state = comparedState(parsedContent(memory?.content));
  return state && state.leaves.length > 0 ? state : undefined;
}

/** The text's vector, where the vector lane has weight; without it keywords still answer, and the answer reports it. */
async function embedded(
  { embedder, engine, store }: RecallDeps,
  request: RecallRequest,
  text: string,
  call: Call,
): Promise<{ embedding?: Embedding; embedText?: boolean; degraded: readonly Degradation[] }> {
  const weight = request.weights.vector ?? embedder.laneWeight;
  if (text === '' || weight === 0 || embedder.kind === 'none') return { degraded: [] };
  if (engine.textModel === embedder.model) return { embedText: true, degraded: [] };
  const namespace = await store.getNamespace(request.namespace);
  if (namespace.embeddingModel !== embedder.model) {
    if (namespace.embeddingModel === '') return { degraded: [] };
    return unlike(`are of "${namespace.embeddingModel}", the embedder is "${embedder.model}"`);
  }
  try {
    const [values] = await embedder.embed([text], call.signal);
    if (!values) return { degraded: [] };
    const dimension = namespace.embeddingDimension;
    if (values.length !== dimension) {
      return unlike(`have ${dimension} values, but those of the embedder ("${embedder.model}") have ${values.length}`);
    }
    return { embedding: { model: embedder.model, values }, degraded: [] };
  } catch (error) {
    const isDown = error instanceof MnemeError && error.reason === 'EMBEDDER_UNAVAILABLE';
    if (!isDown || request.weights.keyword === 0) throw error;
    return { degraded: [{ part: 'embedder', reason: error.message }] };
  }
}

function unlike(how: string): { degraded: readonly Degradation[] } {
  return { degraded: [{ part: 'vector', reason: `the namespace's vectors ${how}: Reembed recomputes them` }] };
}

function exampleText({ example }: RecallRequest): string {
  if (!example) return '';
  return example.text === '' && example.content ? deriveText(example.content) : example.text;
}

async function similarMemory(store: Records, namespace: string, id: string, nowUs: number): Promise<Memory> {
  const [memory] = await store.get({ namespace, ids: [id], view: 'full', nowUs });
  if (!memory) throw memoryNotFound(namespace, id);
  return memory;
}

/**
 * The order was learned from questions. A request with lane weights expects these weights to apply, and a search by
 * example or by memory has no question.
 */
function isLearned({ ranking, weights, text }: RecallRequest): boolean {
  const isWeighed = weights.keyword ?? weights.vector ?? weights.session;
  return ranking === 'learned' && isWeighed === undefined && text !== '';
}

/** Of the similarity to a state: twice that of a place among the keyword matches, which know no numbers. */
const STATE_WEIGHT = 2;

/** Defaults of `RecallWeights` in `proto/mneme/v1/recall_service.proto`. */
function weightsOf(embedder: Embedder, { weights, nearTime, nearPlace }: RecallRequest, cue: Cue): RecallWeights {
  const isNearnessAlone = cue.text === '' && !cue.embedding && (nearTime ?? nearPlace) !== undefined;
  const aside = isNearnessAlone ? 0 : 0.05;
  return {
    keyword: weights.keyword ?? 1,
    vector: weights.vector ?? (cue.embeddingGiven ? 1 : embedder.laneWeight),
    recency: weights.recency ?? aside,
    importance: weights.importance ?? aside,
    session: weights.session ?? 1,
    words: weights.words,
    state: cue.state && (weights.vector ?? STATE_WEIGHT),
    time: nearTime ? (weights.time ?? 0.5) : 0,
    place: nearPlace ? (weights.place ?? 0.5) : 0,
  };
}

/** A request with only nearness cues must give them weight. */
function checkNearness({ nearTime, nearPlace }: RecallRequest, cue: Cue, weights: RecallWeights): void {
  if (cue.text !== '' || cue.embedding || (nearTime ?? nearPlace) === undefined) return;
  const { recency, importance, time = 0, place = 0 } = weights;
  if (recency + importance + time + place > 0) return;
  throw invalidFields([{ field: 'weights', description: 'leave no component with weight: raise time or place' }]);
}

/** A cue that no lane searches for must not be silently ignored. */
function checkLanes(cue: Cue, weights: RecallWeights): void {
  const hasVector = cue.embedding !== undefined || cue.embedText === true;
  const isNear = (weights.time ?? 0) > 0 || (weights.place ?? 0) > 0;
  const isSought =
    isNear || (weights.state ?? 0) > 0 || (cue.text !== '' && weights.keyword > 0) || (hasVector && weights.vector > 0);
  if (isSought || (cue.text === '' && !cue.embedding)) return;
  const why = cue.degraded.map(({ reason }) => ` (${reason})`).join('');
  const description = `leave no lane that searches for the cue: raise keyword, or vector where there is a vector${why}`;
  const violations = [{ field: 'weights', description }];
  if (weights.keyword === 0 && weights.vector === 0) throw invalidFields(violations);
  throw new MnemeError('LANE_UNAVAILABLE', `weights: ${description}`, { violations });
}

interface ReadHits {
  readonly hits: readonly RecallHit[];
  readonly damagedIds: readonly string[];
  readonly goneIds: readonly string[];
  /** Tiers that were lost between the search and the reading. */
  readonly degraded: readonly Degradation[];
}

/**
 * Reads the hits that the engine has not read; a memory deleted since the search is omitted, an unreadable one is
 * reported.
 */
export async function readHits(
  store: Pick<Records, 'get'>,
  { namespace, view, bytesMax = Number.POSITIVE_INFINITY }: RecallRequest,
  { hits: scored, memories: alreadyRead = [] }: Pick<RecallResult, 'hits' | 'memories'>,
  nowUs: Micros,
): Promise<ReadHits> {
  const memories = new Map(alreadyRead.map((memory) => [memory.id, memory]));
  const all = new Set(scored.flatMap((hit) => [hit.id, ...hit.before, ...hit.after]));
  const ids = [...all].filter((id) => !memories.has(id));
  const read = await readPresent(store, { namespace, ids, view, nowUs }, bytesMax, alreadyRead);
  for (const memory of read.memories) if (memory) memories.set(memory.id, memory);
  const present = (wanted: readonly string[]): Memory[] =>
    wanted.flatMap((id) => {
      const memory = memories.get(id);
      return memory ? [memory] : [];
    });
  const hits = scored.flatMap(({ id, before, after, ...found }) => {
    const memory = memories.get(id);
    return memory ? [{ memory, ...found, before: present(before), after: present(after) }] : [];
  });
  const { damagedIds, degraded } = read;
  const goneIds = scored.flatMap(({ id }) => (memories.has(id) || damagedIds.includes(id) ? [] : [id]));
  return { hits, damagedIds, goneIds, degraded };
}

type Read = Parameters<Records['get']>[0];

/** Where the store of some tiers has failed since, the memories of the others. */
async function readPresent(store: Pick<Records, 'get'>, read: Read, bytesMax: number, alreadyRead: readonly Memory[]) {
  try {
    return { ...(await readWithin(store, read, bytesMax, alreadyRead)), degraded: [] };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const memories: (Memory | undefined)[] = [];
    const damagedIds: string[] = [];
    for (const id of read.ids) {
      try {
        const one = await readWithin(store, { ...read, ids: [id] }, bytesMax);
        memories.push(...one.memories);
        damagedIds.push(...one.damagedIds);
      } catch (failure) {
        if (!isUnavailable(failure)) throw failure;
      }
    }
    if (memories.length + alreadyRead.length === 0) throw error;
    const lost = UPPER_TIERS.map((part) => ({ part, reason: error.message }));
    return { memories, damagedIds, degraded: lost };
  }
}
