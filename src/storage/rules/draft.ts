import { memoryNotFound } from '../../memory/errors.ts';
import type { Embedding, Memory, Micros } from '../../memory/memory.ts';
import type { Resolution } from '../../memory/resolution/resolution.ts';
import { checkEmbedding } from '../changed-memory.ts';
import type { EmbeddingState } from '../embedding-state.ts';
import type { Namespace, PastState } from '../memory-store.ts';
import { checkMemoryLimit, isExpired } from './memory-rules.ts';

/** A memory with what the store knows of it. Replaced as a whole, never changed. */
export interface Entry {
  readonly memory: Memory;
  /** Place in the order of storing, from 1. */
  readonly sequence: number;
  readonly state: EmbeddingState;
  readonly attempts: number;
  readonly notBeforeUs: Micros;
  /** When it came to its tier. */
  readonly tierSinceUs: Micros;
  /** In what form its tier keeps it; absent: in full. */
  readonly resolution?: Resolution;
  readonly change: PastState['change'];
  /** Its bytes are damaged: `memory` lacks them. */
  readonly isDamaged?: boolean;
  /** Nothing but its id is known of it. */
  readonly isUnreadable?: boolean;
  /** Former states, newest first. */
  readonly past: readonly PastState[];
}

export interface Room {
  readonly namespace: Namespace;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly nextSequence: number;
}

/** A namespace while a write changes it; the write takes effect when the draft replaces the namespace. */
export class Draft {
  revision: number;
  nextSequence: number;
  namespace: Namespace;
  readonly entries: Map<string, Entry>;
  /** What is there before the draft. */
  readonly before: ReadonlyMap<string, Entry>;
  /** The least revision that a change of this draft can have. */
  readonly firstRevision: number;
  /** When memories were erased, and why. */
  readonly erasedIds = new Map<string, { readonly revision: number; readonly kind: 'deleted' | 'expired' }>();
  /** Memories that are gone from here because another store has taken them over. */
  readonly releasedIds = new Set<string>();

  constructor(room: Room, revision: number) {
    this.before = room.entries;
    this.firstRevision = revision + 1;
    this.namespace = room.namespace;
    this.entries = new Map(room.entries);
    this.nextSequence = room.nextSequence;
    this.revision = revision;
  }

  get name(): string {
    return this.namespace.name;
  }
  /** Memories that the namespace holds. */
  get count(): number {
    return this.entries.size;
  }

  /** The memory unless it has expired. */
  find(id: string, nowUs: Micros): Entry | undefined {
    const entry = this.entries.get(id);
    return entry && !isExpired(entry.memory, nowUs) ? entry : undefined;
  }

  /** Fails with MEMORY_NOT_FOUND. */
  entry(id: string, nowUs: Micros): Entry {
    const entry = this.find(id, nowUs);
    if (!entry) throw memoryNotFound(this.name, id);
    return entry;
  }

  erase(id: string, kind: 'deleted' | 'expired' = 'deleted'): void {
    this.entries.delete(id);
    this.erasedIds.set(id, { revision: ++this.revision, kind });
  }

  /** Checks a vector against those of the namespace; the first one fixes model and dimension. */
  admitEmbedding(embedding: Embedding): void {
    const { name, embeddingModel: model, embeddingDimension: dimension } = this.namespace;
    if (dimension > 0) checkEmbedding({ name, model, dimension }, embedding);
    else {
      const { model: embeddingModel, values } = embedding;
      this.namespace = { ...this.namespace, embeddingModel, embeddingDimension: values.length };
    }
  }

  checkLimit(): void {
    checkMemoryLimit(this.name, this.namespace.memoryLimit, this.count);
  }
}
