import { memoryNotFound } from '../../memory/errors.ts';
import type { Embedding, Memory, MemoryView, Micros } from '../../memory/memory.ts';
import type { Resolution } from '../../memory/resolution/resolution.ts';
import type { ScopePolicy } from '../../memory/scope.ts';
import { checkEmbedding } from '../changed-memory.ts';
import type { EmbeddingState } from '../embedding-state.ts';
import type { MemoryCopy, RecordEntry } from '../record-log.ts';
import type { Namespace, PastState } from '../records.ts';
import { checkMemoryLimit, isExpired } from './memory-rules.ts';

/** A memory with all data of its store. It is immutable. */
export interface Entry {
  readonly memory: Memory;
  /** Position in the order of storing, from 1. */
  readonly sequence: number;
  readonly state: EmbeddingState;
  readonly attempts: number;
  readonly notBeforeUs: Micros;
  /** Time of entry into its tier. */
  readonly tierSinceUs: Micros;
  /** Its form in its tier; absent: in full. */
  readonly resolution?: Resolution;
  readonly change: PastState['change'];
  /** Its bytes are damaged: `memory` lacks them. */
  readonly isDamaged?: boolean;
  /** Only its id is known. */
  readonly isUnreadable?: boolean;
  /** Former states, newest first. */
  readonly past: readonly PastState[];
}

export interface NamespaceContents {
  readonly namespace: Namespace;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly nextSequence: number;
}

/** A namespace during a write, which takes effect when the draft replaces the namespace. */
export class Draft {
  revision: number;
  nextSequence: number;
  namespace: Namespace;
  readonly entries: Map<string, Entry>;
  /** Policies of scopes that limit its writes. */
  policies: readonly ScopePolicy[] = [];
  /** The memories before the draft. */
  readonly before: ReadonlyMap<string, Entry>;
  /** The lowest revision of a change in this draft. */
  readonly firstRevision: number;
  /** Revisions and causes of erasures. */
  readonly erasedIds = new Map<string, { readonly revision: number; readonly kind: 'deleted' | 'expired' }>();

  constructor(contents: NamespaceContents, revision: number) {
    this.before = contents.entries;
    this.firstRevision = revision + 1;
    this.namespace = contents.namespace;
    this.entries = new Map(contents.entries);
    this.nextSequence = contents.nextSequence;
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

  /** Checks a vector against those of the namespace; the first vector sets model and dimension. */
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

/**
 * Log entries of a draft, in the order of its changes. Each entry has a revision of its own, so that a reader at one
 * entry has read everything before it.
 */
export function entriesOfDraft(draft: Draft, changedIds: readonly string[]): RecordEntry[] {
  const entries: RecordEntry[] = [];
  const unnumbered: Omit<RecordEntry, 'revision'>[] = [];
  for (const id of changedIds) {
    const states = statesMade(draft, id);
    const erasure = draft.erasedIds.get(id);
    if (erasure) entries.push({ id, ...erasure });
    entries.push(...states);
    if (!erasure && states.length === 0) unnumbered.push({ id, ...otherChange(draft, id) });
  }
  if (unnumbered.length > 0) number(unnumbered, draft, entries);
  return entries.sort((one, other) => one.revision - other.revision);
}

/** Adds entries with the revisions that no other change has. */
function number(unnumbered: readonly Omit<RecordEntry, 'revision'>[], draft: Draft, entries: RecordEntry[]): void {
  // A change of the namespace has a revision of its own too.
  const taken = new Set([draft.namespace.revision, ...entries.map(({ revision }) => revision)]);
  let free = draft.firstRevision;
  for (const entry of unnumbered) {
    while (taken.has(free)) free++;
    entries.push({ ...entry, revision: free++ });
  }
  draft.revision = Math.max(draft.revision, free - 1);
}

/** States from the draft, several for a memory that changed more than once. */
function statesMade(draft: Draft, id: string): RecordEntry[] {
  const entry = draft.entries.get(id);
  if (!entry) return [];
  const states = entry.past.length > 0 ? [...entry.past.toReversed(), entry] : [entry];
  return states
    .filter(({ memory }) => memory.revision >= draft.firstRevision)
    .map(({ memory, change }) => ({ id, kind: change, revision: memory.revision }));
}

function otherChange(draft: Draft, id: string): Pick<RecordEntry, 'kind' | 'step'> {
  const [before, after] = [draft.before.get(id), draft.entries.get(id)];
  if (!after || !before) return { kind: 'deleted' };
  const step = { from: before.memory.tier, to: after.memory.tier };
  if (step.from !== step.to) return { kind: 'moved', step };
  return { kind: before.state === after.state ? 'touched' : 'embedded' };
}

/** The memory without the fields outside the view. */
export function inView(memory: Memory, view: MemoryView): Memory {
  if (view === 'full' || (view === 'basic' && !memory.embedding)) return memory;
  const { embedding: _, ...basic } = memory;
  if (view === 'basic') return basic;
  const { content: __, ...metadata } = basic;
  return { ...metadata, text: '' };
}

/** A complete copy of an entry; `past`: its former states, newest first. */
export function copyOf(entry: Entry, past: Entry['past']): MemoryCopy {
  const { memory, sequence, tierSinceUs, state, resolution, notBeforeUs, isDamaged } = entry;
  const embeddingPending = state === 'pending';
  const rest = { resolution, ...(isDamaged && { isDamaged }) };
  return { memory, sequence, tierSinceUs, embeddingPending, notBeforeUs, past, ...rest };
}
