import { type Memory, type Place, TIERS } from '../../memory/memory.ts';
import { isNowhere } from '../../memory/place.ts';
import type { CompactionRecord, Resolution } from '../../memory/resolution/resolution.ts';
import type { EmbeddingState } from '../embedding-state.ts';
import type { PastState } from '../memory-store.ts';
import type { RoomEntry } from './room-entry.ts';

const STATES: readonly EmbeddingState[] = ['none', 'pending', 'there'];
const CHANGES: readonly PastState['change'][] = ['stored', 'updated'];

/**
 * By place and without names, which would be half of the bytes; what is not there, or empty, is 0, and times follow the one
 * of creation: a list without lists in it, of short numbers, is read in two thirds of the time.
 */
type Layout = readonly [
  id: string,
  type: string,
  scope: readonly [project: string, agentType: string, agent: string, session: string] | 0,
  source: readonly [speaker: string, uri: string, origin: string] | 0,
  tags: readonly string[] | 0,
  textDerived: 0 | 1,
  createdAtUs: number,
  eventAfterUs: number,
  updatedAfterUs: number,
  tierSinceAfterUs: number,
  notBeforeAfterUs: number,
  importance: number,
  priority: number,
  retrievalCount: number,
  tier: number,
  checksum: string,
  revision: number,
  sequence: number,
  vector: number,
  attempts: number,
  change: number,
  mediaType: string | 0,
  model: string | 0,
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
export type OpenEntry = Open<Omit<RoomEntry, 'memory'>> & { readonly memory: Open<Memory> };

/** JSON of an entry without its bytes, its text and its former states. */
export function layOut({ memory, ...entry }: RoomEntry): string {
  const { scope, source, tags, createdAtUs } = memory;
  const { project, agentType, agent, session } = scope;
  const { speaker, uri, origin } = source;
  const layout: Layout = [
    memory.id,
    memory.type,
    project || agentType || agent || session ? [project, agentType, agent, session] : 0,
    speaker || uri || origin ? [speaker, uri, origin] : 0,
    tags.length > 0 ? tags : 0,
    memory.textDerived ? 1 : 0,
    createdAtUs,
    memory.eventAtUs - createdAtUs,
    memory.updatedAtUs - createdAtUs,
    entry.tierSinceUs - createdAtUs,
    entry.notBeforeUs - createdAtUs,
    memory.importance,
    memory.priority,
    memory.retrievalCount,
    TIERS.indexOf(memory.tier),
    memory.checksum,
    memory.revision,
    entry.sequence,
    STATES.indexOf(entry.state),
    entry.attempts,
    CHANGES.indexOf(entry.change),
    // Of an empty name too it is told that it is there.
    memory.content ? memory.content.mediaType : 0,
    memory.embedding?.model ?? entry.embeddingModel ?? 0,
    restOf(memory, entry.resolution) ?? 0,
  ];
  return JSON.stringify(layout);
}

function restOf(memory: Memory, resolution: Resolution | undefined): Rest | undefined {
  const { step, place, expiresAtUs, validFromUs, validUntilUs, supersededBy, lastAccessedAtUs, compaction } = memory;
  const rest: Open<Rest> = {};
  if (step !== undefined) rest.step = step;
  if (place && !isNowhere(place)) rest.place = place;
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

/** What is read of an entry before its bytes. */
export interface Head {
  readonly entry: OpenEntry;
  readonly mediaType: string | undefined;
  readonly model: string | undefined;
}

export function readLayout(namespace: string, json: string): Head {
  const layout = JSON.parse(json) as Layout;
  const [id, type, scope, source, tags, derived, createdAtUs, eventAfterUs, updatedAfterUs, tierSinceAfterUs] = layout;
  const entry: OpenEntry = {
    memory: {
      namespace,
      id,
      scope: scope
        ? { project: scope[0], agentType: scope[1], agent: scope[2], session: scope[3] }
        : { project: '', agentType: '', agent: '', session: '' },
      type,
      eventAtUs: createdAtUs + eventAfterUs,
      text: '',
      textDerived: derived === 1,
      tags: tags || [],
      importance: layout[11],
      priority: layout[12],
      source: source ? { speaker: source[0], uri: source[1], origin: source[2] } : { speaker: '', uri: '', origin: '' },
      createdAtUs,
      updatedAtUs: createdAtUs + updatedAfterUs,
      retrievalCount: layout[13],
      tier: TIERS[layout[14]] ?? 'short_term',
      checksum: layout[15],
      revision: layout[16],
    },
    sequence: layout[17],
    state: STATES[layout[18]] ?? 'none',
    attempts: layout[19],
    notBeforeUs: createdAtUs + layout[10],
    tierSinceUs: createdAtUs + tierSinceAfterUs,
    change: CHANGES[layout[20]] ?? 'stored',
    past: [],
  };
  const [mediaType, model, rest] = [layout[21], layout[22], layout[23]];
  if (rest) takeIn(rest, entry);
  return { entry, mediaType: mediaType === 0 ? undefined : mediaType, model: model === 0 ? undefined : model };
}

function takeIn({ resolution, place, ...rest }: Rest, entry: OpenEntry): void {
  Object.assign(entry.memory, rest);
  if (place && !isNowhere(place)) entry.memory.place = place;
  if (resolution) entry.resolution = resolution;
}
