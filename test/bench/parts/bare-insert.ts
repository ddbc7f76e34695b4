import Database from 'better-sqlite3';
import type { Measured } from '../load/load-client.ts';
import { quantile } from '../quantile.ts';

const SCHEMA = `
  CREATE TABLE memory(pk INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session TEXT NOT NULL, at INTEGER NOT NULL,
    text TEXT NOT NULL, content BLOB) STRICT;
  CREATE INDEX memory_at ON memory(at);`;
const WORDS = `CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='porter unicode61');`;

export interface BareInsert {
  /** Durable transactions one after the other for `durationMs`; figures are those of transactions. */
  run(durationMs: number): Measured;
  close(): void;
}

/**
 * The cost of SQLite itself for the same rows with the same durability: one table, two indexes, one fsync a
 * transaction.
 */
export function bareInsert(file: string, texts: readonly string[], batch: number, withWords: boolean): BareInsert {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(SCHEMA);
  if (withWords) db.exec(WORDS);
  const insert = db.prepare('INSERT INTO memory(id, session, at, text) VALUES(?, ?, ?, ?)');
  const index = withWords ? db.prepare('INSERT INTO words(rowid, text) VALUES(?, ?)') : undefined;
  let next = 0;
  const transaction = db.transaction(() => {
    for (let i = 0; i < batch; i++) {
      const at = next++;
      const text = texts[at % texts.length];
      const { lastInsertRowid } = insert.run(crypto.randomUUID(), `session-${Math.floor(at / 20)}`, at, text);
      index?.run(lastInsertRowid, text);
    }
  });
  return {
    run(durationMs) {
      const tookUs: number[] = [];
      const cpu = process.cpuUsage();
      const startedMs = performance.now();
      while (performance.now() - startedMs < durationMs) {
        const beganMs = performance.now();
        transaction();
        tookUs.push((performance.now() - beganMs) * 1000);
      }
      const elapsedMs = performance.now() - startedMs;
      const { user, system } = process.cpuUsage(cpu);
      tookUs.sort((a, b) => a - b);
      return {
        perSecond: (tookUs.length / elapsedMs) * 1000,
        p50Us: quantile(tookUs, 0.5),
        p99Us: quantile(tookUs, 0.99),
        serverUs: (user + system) / tookUs.length,
      };
    },
    close: () => db.close(),
  };
}
