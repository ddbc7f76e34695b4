import { crc32 } from 'node:zlib';
import { parsedContent } from '../../memory/derive-text.ts';
import type { Memory } from '../../memory/memory.ts';
import { type ContentValue, valuesOf } from '../../memory/values.ts';
import type { Entry } from '../in-memory/draft.ts';

/** An index that a memory is in: with a score a sorted set, otherwise a set. The key follows the room's. */
export interface Place {
  readonly index: string;
  readonly score?: number;
}

const SEQUENCE_DIGITS = 10;

/** How indexes name a memory: short, and in the order of storing among equal scores. */
export function memberOf(sequence: number): string {
  return sequence.toString(36).padStart(SEQUENCE_DIGITS, '0');
}

export function sequenceOf(member: string): number {
  return Number.parseInt(member, 36);
}

/** Every index that an entry is in. Narrowing relies on it: who is admitted by a filter is in the index looked up. */
export function placesOf(entry: Entry): Place[] {
  const { memory, state, notBeforeUs, tierSinceUs } = entry;
  const places: Place[] = [
    { index: 'o:created', score: memory.createdAtUs },
    { index: 'o:event', score: memory.eventAtUs },
    { index: 'o:importance', score: memory.importance },
    memory.step === undefined ? { index: 'o:stepless', score: 0 } : { index: 'o:step', score: memory.step },
  ];
  if (memory.expiresAtUs !== undefined) places.push({ index: 'o:expires', score: memory.expiresAtUs });
  if (state === 'pending') places.push({ index: 'o:pending', score: notBeforeUs });
  addTextPlaces(places, memory);
  if (memory.place) addSpatialPlaces(places, memory.place);
  addValuePlaces(places, memory);
  for (const index of tierIndexes(memory.tier, memory)) places.push({ index, score: tierSinceUs });
  return places;
}

/** By time in the tier: of all, of a type, and where there is an agent also of it, of both. */
export function tierIndexes(
  tier: string,
  { scope: { agent }, type }: Pick<Memory, 'scope' | 'type'>,
): readonly string[] {
  const name = `${tier} ${agent.length} ${agent}${type}`;
  const known = tierIndexNames.get(name);
  if (known) return known;
  const ofAgent = agent === '' ? [] : [tierIndex(tier, { agent }), tierIndex(tier, { agent, type })];
  const names = [tierIndex(tier), tierIndex(tier, { type }), ...ofAgent];
  if (tierIndexNames.size >= NAMES_KEPT) tierIndexNames.clear();
  tierIndexNames.set(name, names);
  return names;
}

const NAMES_KEPT = 1000;
/** By tier, agent and type: to put the names together costs more than to look them up. */
const tierIndexNames = new Map<string, readonly string[]>();

export function tierIndex(
  tier: string,
  { agent, type }: { agent?: string | undefined; type?: string | undefined } = {},
) {
  return `o:tier:${JSON.stringify([tier, agent ?? null, type ?? null])}`;
}

/** Text fields of filters that have a set for each of their values. */
export const TEXT_FIELDS = {
  type: (memory: Memory) => memory.type,
  project: (memory: Memory) => memory.scope.project,
  agent_type: (memory: Memory) => memory.scope.agentType,
  agent: (memory: Memory) => memory.scope.agent,
  session: (memory: Memory) => memory.scope.session,
  speaker: (memory: Memory) => memory.source.speaker,
  location: (memory: Memory) => memory.place?.location ?? '',
  room: (memory: Memory) => memory.place?.room ?? '',
  region: (memory: Memory) => memory.place?.region ?? '',
} as const;

export type IndexedTextField = keyof typeof TEXT_FIELDS | 'tag';

export function textIndex(field: IndexedTextField, value: string): string {
  return `t:${field}:${value}`;
}

const TEXTS = Object.entries(TEXT_FIELDS).map(([field, textOf]) => ({ stem: `t:${field}:`, textOf }));

function addTextPlaces(places: Place[], memory: Memory): void {
  for (const tag of new Set(memory.tags)) places.push({ index: textIndex('tag', tag) });
  for (const { stem, textOf } of TEXTS) {
    const value = textOf(memory);
    if (value !== '') places.push({ index: stem + value });
  }
}

function addSpatialPlaces(places: Place[], { point, geo }: NonNullable<Memory['place']>): void {
  if (point) places.push({ index: 'o:x', score: point.x }, { index: 'o:y', score: point.y });
  if (geo) places.push({ index: 'o:latitude', score: geo.latitudeDeg });
}

/** Contents of which not every value has an index: whatever is asked of values may be true of them. */
export const PARTIAL = 'v:partial';

/** Values of one content that have an index: each is a set, which costs more than the value. */
const VALUES_MAX = 8;

/** Longer names are cut, with a CRC-32 of the whole behind: each has a set, and each of the cards names it. */
const NAME_LENGTH_MAX = 64;

export function valueIndex(path: string, value: ContentValue['value']): string {
  const name = JSON.stringify([path, value === undefined ? null : value, typeof value]);
  return name.length <= NAME_LENGTH_MAX ? `v:${name}` : `v:${name.slice(0, NAME_LENGTH_MAX / 2)} ${crc32(name)}`;
}

function addValuePlaces(places: Place[], memory: Memory): void {
  const json = parsedContent(memory.content);
  if (json === undefined) return;
  const { values, partial } = valuesOf(json);
  const indexes = new Set(values.slice(0, VALUES_MAX).map(({ path, value }) => valueIndex(path, value)));
  if (partial || values.length > VALUES_MAX) indexes.add(PARTIAL);
  for (const index of indexes) places.push({ index });
}
