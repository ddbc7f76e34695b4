import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalEngine } from '../../src/search/recall/local-engine.ts';
import type { RecallQuery } from '../../src/search/recall/recall-engine.ts';
import { IndexFolder } from '../../src/search/vectors/index-folder.ts';
import { openReadOnly, type SqliteDatabase } from '../../src/storage/sqlite/database.ts';
import { SqliteKeywordIndex } from '../../src/storage/sqlite/keyword-index.ts';
import { openSqliteStore, type SqliteMemoryStore } from '../../src/storage/sqlite/memory-store.ts';
import { memoryReaders, SqliteRecallSource } from '../../src/storage/sqlite/recall-source.ts';
import { reusedThreads } from './reused-threads.ts';

export type EngineSettings = Partial<ConstructorParameters<typeof LocalEngine>[0]> & { readonly exactMax?: number };

/** A store in a new folder, and engines over it. */
export interface RecallFixture {
  readonly folder: string;
  readonly store: SqliteMemoryStore;
  /** What the engines read from. */
  readonly database: SqliteDatabase;
  /** Parts that failed, in order. */
  readonly faults: string[];
  /** An engine that has read nothing yet. */
  newEngine(options?: EngineSettings): LocalEngine;
  /** The same, but a search throws when one of its parts fails. */
  newStrictEngine(options?: EngineSettings): LocalEngine;
  close(): Promise<void>;
}

export async function recallFixture(): Promise<RecallFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'mneme-recall-'));
  const store = await openSqliteStore({ folder, writerThreads: reusedThreads().writer });
  const database = openReadOnly(folder);
  const faults: string[] = [];
  return {
    folder,
    store,
    database,
    faults,
    newEngine: (options) => engineOver(folder, database, faults, options),
    newStrictEngine: (options) => engineOver(folder, database, faults, { exactMax: 10, onFault: fail, ...options }),
    async close() {
      database.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function fail(part: string, error: unknown): never {
  throw new Error(part, { cause: error });
}

/** An engine over the store that is open in a folder; reports failures. */
export function engineOver(
  folder: string,
  database: SqliteDatabase,
  faults: string[],
  { exactMax = 1000, keywords = new SqliteKeywordIndex(database), ...options }: EngineSettings = {},
): LocalEngine {
  return new LocalEngine({
    source: new SqliteRecallSource(database, memoryReaders(database)),
    keywords,
    files: new IndexFolder(folder, { exactMax }, (namespace, reason) => faults.push(`${namespace}: ${reason}`)),
    bytesMax: 1e9,
    onFault: (part) => faults.push(part),
    ...options,
  });
}

/** A query of all memories in the namespace `n`. */
export function aQuery(changes: Partial<RecallQuery> = {}): RecallQuery {
  return {
    namespace: 'n',
    revision: 0,
    text: '',
    limit: 10,
    weights: { keyword: 1, vector: 1, recency: 0.05, importance: 0.05, session: 1 },
    halfLifeUs: 7 * 86_400_000_000,
    nowUs: 1_800_000_000_000_000,
    isLearned: false,
    validity: 'current',
    explain: false,
    neighborCount: 0,
    exact: false,
    deadlineAtMs: Number.POSITIVE_INFINITY,
    ...changes,
  };
}
