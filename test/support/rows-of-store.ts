import Database from 'better-sqlite3';

const QUERIES = [
  'SELECT * FROM memory ORDER BY pk',
  'SELECT * FROM change_log ORDER BY revision',
  'SELECT * FROM namespace',
  'SELECT namespace, request_id, fingerprint, outcome, expires_at_us FROM idempotency ORDER BY key',
  'SELECT * FROM tier_total ORDER BY namespace_key, tier, agent, type',
  `SELECT * FROM meta WHERE key <> 'log_id' ORDER BY key`,
  'SELECT * FROM memory_value_terms ORDER BY term, doc',
  'SELECT * FROM temp.word ORDER BY term, doc, col, offset',
  'SELECT block FROM memory_words_data WHERE id = 1',
];

/** All rows that writes of memories make, by query: two stores that were written alike are equal. */
export function rowsOfStore(databaseFile: string): (readonly [sql: string, rows: unknown[]])[] {
  const database = new Database(databaseFile, { readonly: true });
  try {
    database.exec('CREATE VIRTUAL TABLE temp.word USING fts5vocab(main, memory_words, instance)');
    return QUERIES.map((sql) => [sql, database.prepare(sql).all()]);
  } finally {
    database.close();
  }
}
