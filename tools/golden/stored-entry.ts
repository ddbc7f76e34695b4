import type { ImportedMemory, Json, Memory } from '../../clients/typescript/src/index.ts';
import type { Entry, JsonObject } from './cases.ts';

const CHECKSUM_PATH = ['metadata', 'checksum'] as const;
/** What the reference takes for a number where an importance is a word. */
const IMPORTANCES: { readonly [word: string]: number } = { low: 0.3, medium: 0.6, high: 0.9 };

/**
 * An entry as a memory: the fields that Mneme has are set, and the entry itself, but for its vectors, is the content, so
 * that what Mneme has no field for can still be asked for by path.
 */
export function memoryOf(entry: Entry): ImportedMemory {
  const { embeddings: _, ...kept } = entry as Entry & { readonly embeddings?: unknown };
  const { content, metadata } = entry;
  const words = isObject(content) ? content.content : content;
  const labels = isObject(content) && isObject(content.metadata) ? content.metadata.tags : undefined;
  const at = eventTimeOf(entry);
  const created = secondsIn(metadata.creation_time);
  const importance = importanceOf(metadata.importance_score ?? metadata.importance);
  const accessed = secondsIn(metadata.last_access_time);
  return {
    id: entry.memory_id,
    scope: { agent: entry.agent_id },
    type: entry.type,
    text: typeof words === 'string' ? words : JSON.stringify(content),
    content: kept,
    tags: Array.isArray(labels) ? labels.filter((label) => typeof label === 'string') : [],
    ...(typeof entry.step_number === 'number' && { step: entry.step_number }),
    ...(importance !== undefined && { importance }),
    ...(at && { eventTime: at }),
    createTime: created,
    updateTime: created,
    lastAccessTime: accessed,
    ...(typeof metadata.retrieval_count === 'number' && { retrievalCount: metadata.retrieval_count }),
  };
}

/** What names the entry across systems. */
export function checksumOf(memory: Memory): string {
  let value: Json | undefined = memory.content?.json();
  for (const key of CHECKSUM_PATH) value = isObject(value) ? value[key] : undefined;
  return typeof value === 'string' ? value : memory.id;
}

/** The time that the entry itself tells goes before the one of its record. */
function eventTimeOf({ metadata, timestamp }: Entry): Date | undefined {
  if (typeof metadata.timestamp === 'string') return new Date(metadata.timestamp);
  return typeof timestamp === 'number' ? new Date(timestamp * 1000) : undefined;
}

function importanceOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const importance = IMPORTANCES[value.toLowerCase()] ?? Number(value);
  return Number.isFinite(importance) ? importance : undefined;
}

function secondsIn(value: Json | undefined): Date | undefined {
  return typeof value === 'number' ? new Date(value * 1000) : undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
