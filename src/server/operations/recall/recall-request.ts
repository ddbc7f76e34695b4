import { MnemeError } from '../../../memory/errors.ts';
import type { Filter } from '../../../memory/filter.ts';
import type { Content, Embedding, Memory, MemoryView, Micros, Scope, Tier } from '../../../memory/memory.ts';
import type { NearPlace, NearTime } from '../../../memory/place.ts';
import type { ComparedState } from '../../../memory/states/state.ts';
import type { TimeWindow } from '../../../memory/time-window.ts';
import type { TrustLevel } from '../../../memory/trust.ts';
import type { ValidityView } from '../../../memory/validity.ts';
import type { PresetRequest } from '../../../search/presets/presets.ts';
import type { Degradation, FoundHit, RecallLane, RecallWeights } from '../../../search/recall/recall-engine.ts';
import type { Scoring } from '../../../search/scoring/scoring.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';

/** A validated recall request: at least one of text, embedding, example, similarToId, filter and preset is set. */
export interface RecallRequest {
  readonly namespace: string;
  /** Empty when the request has none. */
  readonly text: string;
  readonly embedding?: Embedding;
  /** The state of a preset; otherwise that of the example or of the similar memory counts. */
  readonly state?: ComparedState;
  /** A memory as it might be; has a text, a content or both. */
  readonly example?: RecallExample;
  /** Id of a memory of the namespace that the hits are to be like. */
  readonly similarToId?: string;
  readonly filter?: Filter;
  /** The scope whose memories are recalled: those within it, and with `isInherited` those of its ancestors too. */
  readonly scope?: Scope;
  readonly isInherited: boolean;
  readonly limit: number;
  /** `learned` falls back to `fusion` where the server has no learned order or the request sets weights of lanes. */
  readonly ranking: 'learned' | 'fusion';
  /** Of equal memories only the best is a hit, except by presets that compare states or score memories individually. */
  readonly isOncePerText?: boolean;
  readonly minScore?: number;
  /** Least relevance of a hit, 0 to 1. */
  readonly minRelevance?: number;
  /** Without `minRelevance`, that of the namespace applies. */
  readonly isRelevantOnly?: boolean;
  /** Least cosine of a candidate of the vector lane, -1 to 1. */
  readonly minSimilarity?: number;
  /** Penalty for similarity to preceding hits, 0 to 1; absent: none. Not allowed with a preset. */
  readonly diversity?: number;
  /** Of each session only the best memory is a hit. Not allowed with a preset. */
  readonly isOncePerSession?: boolean;
  /** Only the weights that the caller set: finite and not negative. */
  readonly weights: Partial<RecallWeights>;
  readonly halfLifeUs: Micros;
  /** Reference instant of times in the text and of recency; absent: now. */
  readonly referenceUs?: Micros;
  /** IANA name of the zone of times in the text; absent: that of the namespace. */
  readonly timeZone?: string;
  readonly validity: ValidityView;
  readonly explain: boolean;
  readonly view: MemoryView;
  readonly touch: boolean;
  /** As `touch`, and moves memories up that qualify. */
  readonly focus: boolean;
  /** Absent: all. */
  readonly tiers?: readonly Tier[];
  /** 0 when any state will do. */
  readonly minRevision: number;
  readonly neighborCount: number;
  readonly exact: boolean;
  readonly nearTime?: NearTime;
  readonly nearPlace?: NearPlace;
  /** Event times of the memories that may be returned; combined with the filter. */
  readonly timeWindow?: TimeWindow;
  /** Most tokens that the texts of the hits may have together. */
  readonly tokenBudget?: number;
  /** A preset by name; the limit is then 0 where the caller set none. */
  readonly preset?: PresetRequest;
  /** Also returns hits after the limit, until each tier has that many (`RecallAnswer.further`). */
  readonly isPerTier?: boolean;
  /** Maximum total of texts and contents; beyond it the call fails. Default: no limit. */
  readonly bytesMax?: number;
  /** Size of the text of the caller, of which `text` is only the beginning and the end. */
  readonly cutTextBytes?: number;
  /** Replaces lanes and weights: each memory that the filter admits is scored individually. */
  readonly scoring?: Scoring;
  /** No policy hides a memory of the namespace from any caller: the engine may read the hits. Default false. */
  readonly isOpen?: boolean;
  /** The answer may have `encodedHits`. Default false. */
  readonly mayEncode?: boolean;
}

/** Bytes of a question that are searched for: of a longer one its beginning and its end. */
export const QUESTION_BYTES = 8192;

/** Bytes of the longest text whose relevance is calibrated: of a longer one the ranker reads the beginning. */
export const JUDGED_BYTES = 512;

/** Why an answer to a longer question is partial. */
export function cutQuestion(bytes: number): Degradation {
  return { part: 'text', reason: `has ${bytes} bytes: ${QUESTION_BYTES} of its beginning and end were searched for` };
}

/** What a recall of current memories by text has beside its namespace, text, limit and half-life. */
export const TEXT_RECALL = {
  isInherited: true,
  ranking: 'learned',
  weights: {},
  validity: 'current',
  explain: false,
  view: 'basic',
  touch: false,
  focus: false,
  minRevision: 0,
  neighborCount: 0,
  exact: false,
} as const satisfies Partial<RecallRequest>;

export interface RecallExample {
  readonly text: string;
  readonly content?: Content;
}

export interface RecallAnswer {
  readonly hits: readonly RecallHit[];
  /** Only with `mayEncode`: the hits as they are sent. `hits` is then empty. */
  readonly encodedHits?: Uint8Array;
  /** Only with `isPerTier`, and for presets that rank all tiers in one order: the hits after the limit. */
  readonly further?: readonly RecallHit[];
  readonly revision: number;
  readonly lanes: readonly RecallLane[];
  readonly degraded: readonly Degradation[];
  readonly candidateCount: number;
  /** See `RecallResult`. */
  readonly lowRelevanceCount?: number;
  /** When the next memory of the namespace begins to be valid; absent when none does. */
  readonly nextValidAtUs?: number;
  /** When the first of all that are near to a standing query expires, or begins or ends to be valid; absent when none does. */
  readonly nearExpiresAtUs?: number;
  /** From this instant on time alone may change the answer; absent where that is not known. */
  readonly untilUs?: number;
  /** Hits, and neighbours of hits, that cannot be read. Absent: none. */
  readonly damagedIds?: readonly string[];
  /** Hits that were deleted before they could be read. Absent: none. */
  readonly goneIds?: readonly string[];
  /** Only with a budget of tokens. */
  readonly passages?: readonly Passage[];
  readonly tokenCount?: number;
  /** Hits that were moved one tier up. */
  readonly promoted?: readonly Memory[];
}

export interface RecallHit extends FoundHit {
  /** Trust in the source of the memory. Absent: the memory has its content, which shows it. */
  readonly trust?: TrustLevel;
}

/** A hit, or several of one session that follow one another, as one text. */
export interface Passage {
  readonly text: string;
  readonly tokenCount: number;
  readonly memories: readonly Memory[];
  readonly score: number;
}

/**
 * Fails with NO_VECTORS where the request searches only by vector and a non-empty namespace has no vectors: an empty
 * answer would claim that nothing is near.
 */
export async function requireVectorsFor(
  deps: Pick<MemoryDeps, 'store' | 'view' | 'clock'>,
  { namespace, embedding, text, example, similarToId, preset, nearTime, nearPlace, timeWindow }: RecallRequest,
): Promise<void> {
  const others = example ?? similarToId ?? preset ?? nearTime ?? nearPlace ?? timeWindow;
  if (embedding && text === '' && others === undefined) await requireVectors(deps, namespace);
}

/** Fails with NO_VECTORS where a non-empty namespace has no vectors. */
export async function requireVectors(
  { store, view, clock }: Pick<MemoryDeps, 'store' | 'view' | 'clock'>,
  namespace: string,
): Promise<void> {
  if ((await store.getNamespace(namespace)).embeddingDimension > 0) return;
  const read = { namespace, order: 'create_time_desc', limit: 1, bytesMax: 1, view: 'metadata' } as const;
  const { memories } = await view.list({ ...read, nowUs: clock.nowUs() });
  if (memories.length === 0) return;
  const name = `namespaces/${namespace}`;
  const advice = 'store memories with vectors, run the server with an embedder and reembed, or recall by text';
  throw new MnemeError('NO_VECTORS', `${name} has no vectors, so vector search finds nothing: ${advice}`, {
    metadata: { name },
  });
}
