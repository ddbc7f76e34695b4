import { fieldValues } from '../../memory/field-values.ts';
import type { MemoryField } from '../../memory/filter.ts';
import { someValueAt } from '../../memory/json-values.ts';
import type { Memory } from '../../memory/memory.ts';

/** Where a value may be: at a path of the JSON content, or in a field of the record. */
export type EntryPlace =
  | { readonly kind: 'path'; readonly path: readonly string[]; readonly isInContentOnly?: true }
  | { readonly kind: 'field'; readonly field: MemoryField };

/** The key that distinguishes a whole entry of the Agent Memory API, whose own `content` paths lead to, from content alone. */
export const ENTRY_KEY = 'memory_id';

/** Fields of a record by their names in the Agent Memory API. */
const FIELDS: { readonly [path: string]: MemoryField } = {
  memory_id: 'id',
  agent_id: 'agent',
  step_number: 'step',
  timestamp: 'event_time',
  memory_type: 'type',
  content: 'text',
  contents: 'text',
  'content.content': 'text',
  'content.text': 'text',
  'content.metadata.type': 'type',
  'content.metadata.tags': 'tag',
  'metadata.type': 'type',
  'metadata.tags': 'tag',
  'metadata.timestamp': 'event_time',
  'metadata.creation_time': 'create_time',
  'metadata.last_access_time': 'last_access_time',
  'metadata.importance_score': 'importance',
  'metadata.retrieval_count': 'retrieval_count',
  'metadata.memory_type': 'type',
  'metadata.current_tier': 'tier',
  'metadata.priority': 'priority',
  tags: 'tag',
  current_tier: 'tier',
  importance_score: 'importance',
  step: 'step',
  type: 'type',
  text: 'text',
  importance: 'importance',
  priority: 'priority',
  retrieval_count: 'retrieval_count',
  event_time: 'event_time',
  creation_time: 'create_time',
  create_time: 'create_time',
  last_access_time: 'last_access_time',
  tier: 'tier',
  session: 'session',
  project: 'project',
  speaker: 'speaker',
  location: 'location',
  room: 'room',
  region: 'region',
};

/**
 * Locations of a value by its path in the Agent Memory API, such as `content.metadata.type`: the first location that
 * has a value counts. An imported entry is JSON content as a whole, so the path applies there unchanged; to other JSON
 * content, which is the API's `content` itself, it applies without its first part; all other paths are fields of the
 * record.
 */
export function placesOf(path: string): EntryPlace[] {
  const parts = path.split('.');
  const places: EntryPlace[] = [{ kind: 'path', path: parts }];
  if ((parts[0] === 'content' || parts[0] === 'contents') && parts.length > 1) {
    places.push({ kind: 'path', path: parts.slice(1), isInContentOnly: true });
  }
  const field = Object.hasOwn(FIELDS, path) ? FIELDS[path] : undefined;
  if (field !== undefined) places.push({ kind: 'field', field });
  return places;
}

/** Texts, numbers and truth values at the first place that has any; arrays give their elements, times are seconds. */
export function valuesAt(places: readonly EntryPlace[], memory: Memory, json: () => unknown): unknown[] {
  for (const place of places) {
    const values = place.kind === 'path' ? scalarsAt(json(), place) : recordValues(memory, place.field);
    if (values.length > 0) return values;
  }
  return [];
}

function scalarsAt(content: unknown, { path, isInContentOnly }: EntryPlace & { readonly kind: 'path' }): unknown[] {
  const found: unknown[] = [];
  if (content === undefined || (isInContentOnly && isEntry(content))) return found;
  someValueAt(content, path, (value) => {
    if (typeof value !== 'object') found.push(value);
    return false;
  });
  return found;
}

function isEntry(content: unknown): boolean {
  return typeof content === 'object' && content !== null && Object.hasOwn(content, ENTRY_KEY);
}

function recordValues(memory: Memory, field: MemoryField): unknown[] {
  return fieldValues(memory, field).map((value) => (typeof value === 'object' ? value.timeUs / 1e6 : value));
}
