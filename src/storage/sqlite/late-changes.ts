import type { LogEntry } from '../../recall/namespace-source.ts';
import type { SqliteDatabase } from './database.ts';
import { changesQuery, ENTRY_KINDS, vectorQuery } from './recall-queries.ts';
import { recallVector } from './recall-vector.ts';
import { namespaceKeyOf } from './schema.ts';
import { vectorSpace } from './vector-spaces.ts';

const VECTORS_MAX = 256;

/** Late entries of the change log and the vectors of their memories: standing queries and indexes look for the same ones. */
export class LateChanges {
  private readonly db: SqliteDatabase;
  private readonly vectors = new Map<number, Float32Array | undefined>();
  private readonly spaces = new Map<number, ReturnType<typeof vectorSpace>>();
  private last: { readonly afterRevision: number; readonly entries: LogEntry[] } | undefined;

  constructor(db: SqliteDatabase) {
    this.db = db;
  }

  /** With `keeps` what is read is kept until `forget`: to be used while one state of the store is seen. */
  changes(afterRevision: number, limit: number, keeps: boolean): LogEntry[] {
    const { last } = this;
    if (last?.afterRevision === afterRevision && last.entries.length < limit) return last.entries;
    const rows = changesQuery(this.db).all({ afterRevision, limit });
    const entries = rows.map(({ revision, kind, namespace_key: namespaceKey, pk, id }): LogEntry => {
      return { revision, kind: ENTRY_KINDS[kind] ?? 'other', namespaceKey, key: pk, id };
    });
    if (keeps && entries.length < limit) this.last = { afterRevision, entries };
    return entries;
  }

  vector(pk: number, keeps: boolean): Float32Array | undefined {
    if (this.vectors.has(pk)) return this.vectors.get(pk);
    const { sign, dimension } = this.space(namespaceKeyOf(pk), keeps);
    const row = vectorQuery(this.db).get({ pk: pk * sign });
    const vector = row && recallVector(row, dimension);
    if (keeps && this.vectors.size < VECTORS_MAX) this.vectors.set(pk, vector);
    return vector;
  }

  private space(namespaceKey: number, keeps: boolean): ReturnType<typeof vectorSpace> {
    const known = this.spaces.get(namespaceKey);
    if (known) return known;
    const space = vectorSpace(this.db, namespaceKey);
    if (keeps) this.spaces.set(namespaceKey, space);
    return space;
  }

  forget(): void {
    this.vectors.clear();
    this.spaces.clear();
    this.last = undefined;
  }
}
