import type { Embedding, ImportedMemory, Memory } from '../memory.ts';
import { PreciseDate } from '../precise-date.ts';
import { isText, type MemoryTier, TIER_NAMES } from './checks.ts';
import { lowered } from './lowered-vectors.ts';
import { type Fields, isNumber, isRecord } from './models.ts';

/** Vectors of the three tiers; `null` where the server keeps no vector. */
export interface EntryEmbeddings {
  readonly full_vector: number[] | null;
  readonly compressed_vector: number[] | null;
  readonly abstract_vector: number[] | null;
}

export interface EntryMetadata extends Fields {
  /** In seconds since 1970, as the other times. */
  creation_time: number;
  last_access_time: number;
  /** 0 short-term, 1 intermediate, 2 long-term. */
  compression_level: number;
  importance_score: number;
  priority: number;
  retrieval_count: number;
  memory_type: string;
  current_tier: MemoryTier;
  checksum: string;
  /** Of a hit. */
  similarity_score?: number;
}

/** A memory, in the documented structure. Names are those of the stored data, in every language. */
export interface MemoryEntry {
  memory_id: string;
  agent_id: string | null;
  step_number: number | null;
  /** When it happened, in seconds since 1970. */
  timestamp: number;
  type: string;
  contents: Fields;
  /** The same object as `contents`. */
  content: Fields;
  metadata: EntryMetadata;
  embeddings: EntryEmbeddings;
  /** Of a hit. */
  similarity_score?: number;
  /** The same as `similarity_score`. */
  _similarity_score?: number;
}

/** Origin of memories whose content is a whole entry of a file of the upstream library. */
export const ENTRY_ORIGIN = 'agentmemory-entry';
const LEVELS = { short_term: 0, intermediate: 1, long_term: 2 } as const;
/** Importance of an entry that has a word for it. */
const IMPORTANCES: Readonly<Record<string, number>> = { low: 0.3, medium: 0.6, high: 0.9 };
const EMBEDDINGS = ['full_vector', 'compressed_vector', 'abstract_vector'] as const;
const NO_VECTORS: EntryEmbeddings = { full_vector: null, compressed_vector: null, abstract_vector: null };

/** Forms of vectors in the lower tiers of a namespace. */
export class VectorForms {
  readonly #settings: Readonly<Record<string, string>>;

  /** Expects the settings of the server. */
  constructor(settings: Readonly<Record<string, string>> = {}) {
    this.#settings = settings;
  }

  embeddings(embedding: Embedding | undefined): EntryEmbeddings {
    if (embedding === undefined) return NO_VECTORS;
    const values = Float32Array.from(embedding.values);
    const { [`intermediate.vector`]: im = 'bf16', [`long_term.vector`]: ltm = 'i8' } = this.#settings;
    return {
      full_vector: Array.from(values),
      compressed_vector: lowered(values, im, Number(this.#settings['intermediate.vector_dimension'] ?? 0)),
      abstract_vector: lowered(values, ltm, Number(this.#settings['long_term.vector_dimension'] ?? 0)),
    };
  }
}

/** The memory as an entry. A hit also has its score. */
export function entryOf(memory: Memory, forms: VectorForms, score?: number): MemoryEntry {
  const { contents, own } = contentsOf(memory);
  const metadata: EntryMetadata = {
    ...own,
    creation_time: secondsOf(memory.createTime),
    last_access_time: secondsOf(memory.lastAccessTime ?? memory.createTime),
    compression_level: LEVELS[memory.tier],
    importance_score: memory.importance,
    priority: memory.priority,
    retrieval_count: memory.retrievalCount ?? 0,
    memory_type: memory.type,
    current_tier: TIER_NAMES[memory.tier],
    checksum: typeof own['checksum'] === 'string' ? own['checksum'] : memory.checksum,
  };
  const entry: MemoryEntry = {
    memory_id: memory.id,
    agent_id: memory.scope.agent ?? null,
    step_number: memory.step ?? null,
    timestamp: secondsOf(memory.eventTime),
    type: memory.type,
    contents,
    content: contents,
    metadata,
    embeddings: forms.embeddings(memory.embedding),
  };
  if (score !== undefined) {
    metadata.similarity_score = score;
    entry.similarity_score = score;
    entry._similarity_score = score;
  }
  return entry;
}

/** The time in seconds since 1970, with its microseconds. */
export function secondsOf(time: Date): number {
  return (time.getTime() * 1000 + (time instanceof PreciseDate ? time.microseconds : 0)) / 1e6;
}

/** The contents, and the metadata that the entry was imported with. */
function contentsOf(memory: Memory): { contents: Fields; own: Fields } {
  if (memory.content?.mediaType !== 'application/json') return { contents: { text: memory.text }, own: {} };
  const value = memory.content.json();
  if (!isRecord(value)) return { contents: { value }, own: {} };
  if (memory.source.origin !== ENTRY_ORIGIN) return { contents: value, own: {} };
  const own = isRecord(value['metadata']) ? value['metadata'] : {};
  return { contents: (value['content'] ?? {}) as Fields, own };
}

/**
 * An entry of a file as a memory: the server's fields are set, and the whole entry, without its vectors, is the content,
 * so that paths such as `content.metadata.type` lead where they led.
 */
export function memoryOf(entry: Fields, embeddingModel: string | undefined): ImportedMemory & { readonly id: string } {
  const metadata = isRecord(entry['metadata']) ? entry['metadata'] : {};
  const content = entry['content'] ?? entry['contents'] ?? null;
  const inner = isRecord(content) ? content : {};
  const labels = isRecord(inner['metadata']) ? inner['metadata'] : {};
  const words = inner['content'];
  const { embeddings: _, contents: __, ...kept } = entry;
  const created = instantOf(metadata['creation_time']);
  const eventTime = eventTimeOf(entry, metadata);
  const accessed = instantOf(metadata['last_access_time']);
  const embedding = embeddingOf(entry, embeddingModel);
  const importance = importanceOf(metadata['importance_score'] ?? metadata['importance']);
  return {
    id: entry['memory_id'] as string,
    scope: { agent: entry['agent_id'] as string },
    type: [entry['type'], metadata['memory_type']].find(isText) ?? 'state',
    ...(isNumber(entry['step_number']) && { step: entry['step_number'] }),
    ...(eventTime && { eventTime }),
    ...(typeof words === 'string' && words.trim() !== '' && { text: words }),
    content: { ...kept, content } as NonNullable<ImportedMemory['content']>,
    ...(Array.isArray(labels['tags']) && { tags: labels['tags'].filter((each) => typeof each === 'string') }),
    ...(embedding && { embedding }),
    ...(importance !== undefined && { importance }),
    source: { origin: ENTRY_ORIGIN },
    ...(created && { createTime: created, updateTime: created }),
    ...(accessed && { lastAccessTime: accessed }),
    ...(isNumber(metadata['retrieval_count']) && { retrievalCount: metadata['retrieval_count'] }),
  };
}

function embeddingOf(entry: Fields, model: string | undefined): Embedding | undefined {
  const vectors = isRecord(entry['embeddings']) ? entry['embeddings'] : {};
  const values = EMBEDDINGS.map((name) => vectors[name]).find((each) => Array.isArray(each) && each.length > 0);
  return model === undefined || values === undefined ? undefined : { values: values as number[], model };
}

/** The time that the metadata names, rather than that of the entry. */
function eventTimeOf(entry: Fields, metadata: Fields): Date | undefined {
  const named = metadata['timestamp'];
  if (typeof named !== 'string') return instantOf(entry['timestamp']);
  return PreciseDate.from(/(?:Z|[+-]\d\d:?\d\d)$/.test(named) ? named : `${named}Z`);
}

function instantOf(seconds: unknown): Date | undefined {
  return isNumber(seconds) ? new PreciseDate(Math.round(seconds * 1e6)) : undefined;
}

function importanceOf(value: unknown): number | undefined {
  if (typeof value === 'string') return IMPORTANCES[value.toLowerCase()];
  return isNumber(value) ? value : undefined;
}
