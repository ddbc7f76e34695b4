import { memoryDamaged } from '../../memory/errors.ts';
import type { ScopePolicy } from '../../memory/scope.ts';
import type { Namespace } from '../records.ts';
import { Draft, type Entry } from './draft.ts';

/** A namespace as loaded for some writes. */
export interface PartialContents {
  /** Absent when the namespace was deleted or never existed. */
  readonly namespace?: Namespace;
  /** The memories that the writes concern, without former states. */
  readonly entries: ReadonlyMap<string, Entry>;
  readonly nextSequence: number;
  /** Number of all memories. */
  readonly count: number;
  readonly policies: readonly ScopePolicy[];
}

export const NO_NAMESPACE: Namespace = {
  name: '',
  description: '',
  createdAtUs: 0,
  updatedAtUs: 0,
  embeddingModel: '',
  embeddingDimension: 0,
  memoryLimit: 0,
  revision: 0,
  settings: {},
};

/** A namespace, existing or not, during writes, with the memories that the writes concern. */
export class PartialDraft extends Draft {
  isThere: boolean;
  /** Number of memories that were not loaded. */
  private readonly elsewhere: number;

  constructor(name: string, { namespace, entries, nextSequence, count, policies }: PartialContents, revision: number) {
    super({ namespace: namespace ?? { ...NO_NAMESPACE, name }, entries, nextSequence }, revision);
    this.isThere = namespace !== undefined;
    this.policies = policies;
    this.elsewhere = count - entries.size;
  }

  override get count(): number {
    return this.elsewhere + this.entries.size;
  }

  /** Fails with CHECKSUM_MISMATCH where a write would keep the rest of a damaged memory. */
  checkWhole(ids: readonly string[], before: ReadonlyMap<string, Entry>): void {
    for (const id of ids) {
      const entry = this.entries.get(id);
      if (entry?.isDamaged && entry !== before.get(id)) throw memoryDamaged(this.name, id);
    }
  }

  /** Reverts all later changes. */
  savepoint(ids: readonly string[]): () => void {
    const { revision, nextSequence, namespace, isThere, policies } = this;
    const before = ids.map((id) => [id, this.entries.get(id), this.erasedIds.get(id)] as const);
    return () => {
      Object.assign(this, { revision, nextSequence, namespace, isThere, policies });
      for (const [id, entry, erasure] of before) {
        if (erasure) this.erasedIds.set(id, erasure);
        else this.erasedIds.delete(id);
        if (entry) this.entries.set(id, entry);
        else this.entries.delete(id);
      }
    };
  }
}
