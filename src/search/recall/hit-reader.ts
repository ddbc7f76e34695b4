import { bodyBytesOf } from '../../memory/checksum.ts';
import type { Memory } from '../../memory/memory.ts';
import type { NamespaceEntry, NamespaceSource } from './namespace-source.ts';
import type { EncodeHits, FoundHit, RecallQuery, RecallResult, ScoredHit } from './recall-engine.ts';

/** Reads the memories of hits in the state that was searched: a search and the reads of its hits are one transaction. */
export class HitReader {
  private readonly source: NamespaceSource;
  private readonly namespace: NamespaceEntry;
  private readonly query: RecallQuery;
  private readonly memories = new Map<string, Memory>();
  private bytesLeft: number;

  /** To be used between `begin` and `end` of the source. */
  constructor(source: NamespaceSource, namespace: NamespaceEntry, query: RecallQuery) {
    this.source = source;
    this.namespace = namespace;
    this.query = query;
    this.bytesLeft = query.read?.bytesMax ?? 0;
  }

  /** Id and revision of a memory that is there. The memory is read too, where the query asks for it. */
  identityOf(key: number): { readonly id: string; readonly revision: number } {
    const { read, nowUs } = this.query;
    const isRead = read !== undefined && this.bytesLeft >= 0;
    const memory = isRead ? this.source.readHit(this.namespace, key, read.view, nowUs) : undefined;
    if (!memory) return this.source.identityOf(key);
    const { id, revision } = memory;
    if (!this.memories.has(id)) {
      this.memories.set(id, memory);
      this.bytesLeft -= bodyBytesOf(memory);
    }
    return { id, revision };
  }

  /** The result with what was read; encoded where the query permits it and nothing is missing. */
  withMemories(result: RecallResult, encode: EncodeHits | undefined): RecallResult {
    const { read } = this.query;
    if (!read) return result;
    const mayEncode = read.mayEncode && result.hits.length > 0 && this.bytesLeft >= 0;
    const found = encode && mayEncode ? this.foundHits(result.hits) : undefined;
    if (encode && found) return { ...result, hits: [], encodedHits: encode(found) };
    return { ...result, memories: [...this.memories.values()] };
  }

  /** `undefined` where a memory is missing. */
  private foundHits(hits: readonly ScoredHit[]): FoundHit[] | undefined {
    const found: FoundHit[] = [];
    for (const hit of hits) {
      const memory = this.memories.get(hit.id);
      const before = this.present(hit.before);
      const after = this.present(hit.after);
      if (!memory || !before || !after) return undefined;
      found.push({ ...hit, memory, before, after });
    }
    return found;
  }

  private present(ids: readonly string[]): Memory[] | undefined {
    const present = ids.flatMap((id) => this.memories.get(id) ?? []);
    return present.length === ids.length ? present : undefined;
  }
}
