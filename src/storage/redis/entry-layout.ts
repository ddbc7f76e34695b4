import { MnemeError } from '../../memory/errors.ts';
import type { Memory, Place } from '../../memory/memory.ts';
import type { CompactionRecord } from '../../memory/resolution/compaction.ts';
import type { Resolution } from '../../memory/resolution/resolution.ts';
import { TIERS } from '../../memory/tiers.ts';
import type { EmbeddingState } from '../embedding-state.ts';
import type { Entry } from '../in-memory/draft.ts';
import type { PastState } from '../memory-store.ts';

/** Numbers the orders of values below. */
const LAYOUT = 1;
const STATES: readonly EmbeddingState[] = ['none', 'pending', 'there'];
const CHANGES: readonly PastState['change'][] = ['stored', 'updated'];

/** By place and without names, which would be half of the bytes; what is not there is `null`. */
type Layout = readonly [
  layout: number,
  id: string,
  type: string,
  scope: readonly [project: string, agentType: string, agent: string, session: string],
  source: readonly [speaker: string, uri: string, origin: string],
  tags: readonly string[],
  textDerived: 0 | 1,
  times: readonly [eventAtUs: number, createdAtUs: number, updatedAtUs: number],
  weights: readonly [importance: number, priority: number, retrievalCount: number],
  tier: readonly [number: number, sinceUs: number],
  checksum: string,
  revision: number,
  sequence: number,
  vector: readonly [state: number, attempts: number, notBeforeUs: number],
  change: number,
  mediaType: string | null,
  model: string | null,
  rest: Rest | 0,
];

/** What most memories do not have. */
interface Rest {
  readonly step?: number;
  readonly place?: Place;
  readonly expiresAtUs?: number;
  readonly validFromUs?: number;
  readonly validUntilUs?: number;
  readonly supersededBy?: string;
  readonly lastAccessedAtUs?: number;
  readonly compaction?: CompactionRecord;
  readonly resolution?: Resolution;
}

type Open<T> = { -readonly [K in keyof T]: T[K] };
/** An entry whose memory has no bytes yet. */
export type OpenEntry = Open<Omit<Entry, 'memory'>> & { readonly memory: Open<Memory> };

/** JSON of an entry without its bytes, its text and its former states. */
export function layOut({ memory, ...entry }: Entry): string {
  const { scope, source } = memory;
  const layout: Layout = [
    LAYOUT,
    memory.id,
    memory.type,
    [scope.project, scope.agentType, scope.agent, scope.session],
    [source.speaker, source.uri, source.origin],
    memory.tags,
    memory.textDerived ? 1 : 0,
    [memory.eventAtUs, memory.createdAtUs, memory.updatedAtUs],
    [memory.importance, memory.priority, memory.retrievalCount],
    [TIERS.indexOf(memory.tier), entry.tierSinceUs],
    memory.checksum,
    memory.revision,
    entry.sequence,
    [STATES.indexOf(entry.state), entry.attempts, entry.notBeforeUs],
    CHANGES.indexOf(entry.change),
    memory.content?.mediaType ?? null,
    memory.embedding?.model ?? null,
    restOf(memory, entry.resolution) ?? 0,
  ];
  return JSON.stringify(layout);
}

function restOf(memory: Memory, resolution: Resolution | undefined): Rest | undefined {
  const { step, place, expiresAtUs, validFromUs, validUntilUs, supersededBy, lastAccessedAtUs, compaction } = memory;
  const rest: Open<Rest> = {};
  if (step !== undefined) rest.step = step;
  if (place) rest.place = place;
  if (expiresAtUs !== undefined) rest.expiresAtUs = expiresAtUs;
  if (validFromUs !== undefined) rest.validFromUs = validFromUs;
  if (validUntilUs !== undefined) rest.validUntilUs = validUntilUs;
  if (supersededBy !== undefined) rest.supersededBy = supersededBy;
  if (lastAccessedAtUs !== undefined) rest.lastAccessedAtUs = lastAccessedAtUs;
  if (compaction) rest.compaction = compaction;
  if (resolution) rest.resolution = resolution;
  for (const _ in rest) return rest;
  return undefined;
}

const NOBODY = { project: '', agentType: '', agent: '', session: '' };

export function unreadableEntry(namespace: string, id: string): Entry {
  const nowhere = { speaker: '', uri: '', origin: '' };
  const times = { eventAtUs: 0, createdAtUs: 0, updatedAtUs: 0 };
  const weights = { importance: 0, priority: 0, retrievalCount: 0, revision: 0 };
  const rest = { type: '', text: '', textDerived: false, tags: [], checksum: '', tier: 'short_term' as const };
  const memory = { namespace, id, scope: NOBODY, source: nowhere, ...times, ...weights, ...rest };
  const nothing = { sequence: 0, state: 'none' as const, attempts: 0, notBeforeUs: 0, tierSinceUs: 0, past: [] };
  return { memory, ...nothing, change: 'updated', isDamaged: true, isUnreadable: true };
}

/** Fails with CHECKSUM_MISMATCH, and with the layout of a newer server. */
export function readLayout(
  namespace: string,
  json: string,
): { readonly entry: OpenEntry; readonly mediaType: string | undefined; readonly model: string | undefined } {
  const layout = layoutIn(json);
  if (layout[0] !== LAYOUT) throw new Error(`a memory in Redis has layout ${layout[0]}, which this server cannot read`);
  const [, id, type, scope, source, tags, derived, times, weights, tier, checksum, revision, sequence, vector] = layout;
  const [project, agentType, agent, session] = scope;
  const [speaker, uri, origin] = source;
  const entry: OpenEntry = {
    memory: {
      namespace,
      id,
      scope: { project, agentType, agent, session },
      type,
      eventAtUs: times[0],
      text: '',
      textDerived: derived === 1,
      tags,
      importance: weights[0],
      priority: weights[1],
      source: { speaker, uri, origin },
      createdAtUs: times[1],
      updatedAtUs: times[2],
      retrievalCount: weights[2],
      tier: TIERS[tier[0]] ?? 'short_term',
      checksum,
      revision,
    },
    sequence,
    state: STATES[vector[0]] ?? 'none',
    attempts: vector[1],
    notBeforeUs: vector[2],
    tierSinceUs: tier[1],
    change: CHANGES[layout[14]] ?? 'stored',
    past: [],
  };
  if (layout[17]) takeIn(layout[17], entry);
  return { entry, mediaType: layout[15] ?? undefined, model: layout[16] ?? undefined };
}

function layoutIn(json: string): Layout {
  try {
    return JSON.parse(json) as Layout;
  } catch (cause) {
    throw new MnemeError('CHECKSUM_MISMATCH', 'the fields of a memory in Redis are not what was kept', { cause });
  }
}

function takeIn({ resolution, ...rest }: Rest, entry: OpenEntry): void {
  Object.assign(entry.memory, rest);
  if (resolution) entry.resolution = resolution;
}
