import type { Call } from '../../../memory/call.ts';
import {
  CONTEXT_KINDS,
  type ContextCandidate,
  type ContextKind,
  contextKindOf,
  typesOf,
} from '../../../memory/context/context.ts';
import type { Filter } from '../../../memory/filter.ts';
import type { Micros, Scope } from '../../../memory/memory.ts';
import { trustOf } from '../../../memory/memory-trust.ts';
import { type Zone, zoneNamed } from '../../../memory/time/zone.ts';
import type { Degradation } from '../../../search/recall/recall-engine.ts';
import { type AnswerRecallDeps, answerRecall } from '../recall/answer-recall.ts';
import { recallDefaultsIn } from '../recall/recall-defaults.ts';
import { type RecallHit, TEXT_RECALL } from '../recall/recall-request.ts';

export interface MemoryQuery {
  readonly namespace: string;
  readonly text: string;
  readonly scope?: Scope;
  readonly kinds: readonly ContextKind[];
  /** In tokens. */
  readonly budget: number;
  readonly referenceUs?: Micros;
  readonly timeZone?: string;
  /** Absent: that of the namespace. */
  readonly minRelevance?: number;
  readonly minRevision: number;
}

export interface FoundMemories {
  readonly candidates: readonly ContextCandidate[];
  /** Less relevant candidates are to be omitted. */
  readonly minRelevance: number;
  readonly revision: number;
  readonly degraded: readonly Degradation[];
}

/** Minimum tokens of a typical entry: bounds the number of hits for a budget. */
const TOKENS_PER_ENTRY = 20;
const HITS = { min: 20, max: 400 };
const HALF_LIFE_US = 7 * 86_400_000_000;

/** Memories of all kinds and tiers that answer the query, best first, found by one recall. */
export async function memoryCandidates(deps: AnswerRecallDeps, query: MemoryQuery, call: Call): Promise<FoundMemories> {
  const { namespace, text, scope, referenceUs, timeZone, minRevision, budget } = query;
  const filter = ofKinds(query.kinds);
  const limit = Math.min(HITS.max, Math.max(HITS.min, Math.ceil(budget / TOKENS_PER_ENTRY)));
  const asked = { namespace, text, scope, filter, referenceUs, timeZone, limit, halfLifeUs: HALF_LIFE_US, minRevision };
  const [{ hits, revision, degraded, damagedIds = [] }, defaults] = await Promise.all([
    answerRecall(deps, { ...TEXT_RECALL, ...asked }, call),
    recallDefaultsIn(deps, namespace),
  ]);
  const zone = zoneNamed(timeZone ?? defaults.timeZone ?? 'UTC');
  const damaged = { part: 'damaged', reason: `${damagedIds.length} memories cannot be read: their bytes are damaged` };
  return {
    candidates: hits.map((hit, at) => candidateOf(hit, at, zone)),
    minRelevance: query.minRelevance ?? defaults.minRelevance,
    revision,
    degraded: damagedIds.length > 0 ? [...degraded, damaged] : degraded,
  };
}

function candidateOf({ memory, passage, relevance }: RecallHit, at: number, zone: Zone): ContextCandidate {
  const { namespace, id, type, text, eventAtUs, source } = memory;
  return {
    name: `namespaces/${namespace}/memories/${id}`,
    part: '',
    kind: contextKindOf(type),
    text: passage?.text ?? text,
    source: source.speaker || source.origin,
    atUs: zone.wallUs(eventAtUs),
    relevance,
    trust: trustOf(memory),
    reason: `rank ${at + 1} of recall, relevance ${relevance.toFixed(2)}`,
  };
}

/** The condition that memories become entries of these kinds; `undefined` for all kinds. */
function ofKinds(kinds: readonly ContextKind[]): Filter | undefined {
  const left = CONTEXT_KINDS.filter((kind) => kind !== 'working' && !kinds.includes(kind));
  if (left.length === 0) return undefined;
  if (!kinds.includes('other')) return isOfType(kinds.flatMap(typesOf));
  return { kind: 'not', filter: isOfType(left.flatMap(typesOf)) };
}

function isOfType(types: readonly string[]): Filter {
  const target = { kind: 'field', field: 'type' } as const;
  return { kind: 'comparison', target, operator: 'in', values: types, ignoreCase: false };
}
