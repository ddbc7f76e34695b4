import Database from 'better-sqlite3';
import { parsedContent } from '../../src/memory/derive-text.ts';
import { restoreBody } from '../../src/memory/resolution/lower-body.ts';
import { valuesOf } from '../../src/memory/values.ts';
import { valueTerm } from '../../src/storage/sqlite/value-terms.ts';

/** Invariants between the tables after every transaction: each query returns the rows that violate one. */
const RULES: Readonly<Record<string, string>> = {
  'a memory has a body': 'SELECT pk FROM memory WHERE pk NOT IN (SELECT pk FROM memory_body)',
  'a body has a memory': 'SELECT pk FROM memory_body WHERE pk NOT IN (SELECT pk FROM memory)',
  'a vector is there exactly where the memory says so':
    'SELECT pk FROM memory WHERE (embedding_state = 2) <> (pk IN (SELECT pk FROM memory_vector))',
  'a vector has a memory': 'SELECT pk FROM memory_vector WHERE pk NOT IN (SELECT pk FROM memory)',
  'a memory waits for a vector exactly where it says so':
    'SELECT pk FROM memory WHERE (embedding_state = 1) <> (pk IN (SELECT pk FROM embedding_queue))',
  'what waits for a vector is a memory': 'SELECT pk FROM embedding_queue WHERE pk NOT IN (SELECT pk FROM memory)',
  'a memory has words': 'SELECT pk FROM memory WHERE pk NOT IN (SELECT rowid FROM memory_words)',
  'words have a memory': 'SELECT rowid FROM memory_words WHERE rowid NOT IN (SELECT pk FROM memory)',
  'a tag of the body is in the index': `SELECT b.pk FROM memory_body b, json_each(b.tags) t
     WHERE NOT EXISTS (SELECT 1 FROM memory_tag g WHERE g.namespace_key = 1 AND g.tag = t.value AND g.pk = b.pk)`,
  'a tag of the index is in the body': `SELECT g.pk FROM memory_tag g LEFT JOIN memory_body b ON b.pk = g.pk
     WHERE b.tags IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(b.tags) t WHERE t.value = g.tag)`,
  'a memory is in the log at its revision': `SELECT pk FROM memory m WHERE NOT EXISTS
     (SELECT 1 FROM change_log l WHERE l.revision = m.revision AND l.pk = m.pk AND l.kind IN (1, 2))`,
  'the newest revision is that of the last entry':
    "SELECT value FROM meta WHERE key = 'revision' AND value <> (SELECT max(revision) FROM change_log)",
  'the log has no gap': 'SELECT count(*) c FROM change_log HAVING c <> max(revision)',
  'former states belong to a memory':
    'SELECT revision FROM change_log WHERE former IS NOT NULL AND pk NOT IN (SELECT pk FROM memory)',
  'sequences given out are not given again':
    'SELECT m.pk FROM memory m JOIN namespace n ON n.key = m.namespace_key WHERE m.pk % 8589934592 >= n.next_sequence',
  'the totals of the tiers are those of the memories': `SELECT * FROM tier_total EXCEPT
     SELECT namespace_key, tier, agent, type, count(*), sum(content_bytes) FROM memory
     GROUP BY namespace_key, tier, agent, type`,
  'every group of memories has its total': `SELECT namespace_key, tier, agent, type FROM memory EXCEPT
     SELECT namespace_key, tier, agent, type FROM tier_total`,
  'no upkeep is left': 'SELECT pk FROM memory WHERE is_settled <> 1',
  'the database is whole': "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
};

/** Names of the rules that a data folder breaks. */
export function brokenRules(databaseFile: string): string[] {
  const database = new Database(databaseFile, { readonly: true });
  try {
    const broken = Object.keys(RULES).filter((name) => database.prepare(RULES[name] ?? '').all().length > 0);
    return hasWrongValues(database) ? [...broken, 'values kept beside a content are those of the content'] : broken;
  } finally {
    database.close();
  }
}

interface BodyRow {
  readonly pk: number;
  readonly media_type: string;
  readonly content: Buffer | null;
  readonly packed: Buffer | null;
}

function hasWrongValues(database: Database.Database): boolean {
  const kept = termsByMemory(database);
  const bodies = database.prepare<[], BodyRow>(
    'SELECT pk, media_type, content, packed FROM memory_body WHERE content NOT NULL OR packed NOT NULL',
  );
  for (const { pk, media_type: mediaType, content, packed } of bodies.iterate()) {
    const json = parsedContent(
      packed ? restoreBody({ text: '', packed }).content : content ? { mediaType, data: content } : undefined,
    );
    const values = json === undefined ? [] : valuesOf(json).values;
    const terms = values.map(({ path, value }) => `${path} ${valueTerm(value)}`);
    if (terms.sort().join() !== (kept.get(pk) ?? []).sort().join()) return true;
    kept.delete(pk);
  }
  return kept.size > 0;
}

/** Path and value of each term in the index of values. */
function termsByMemory(database: Database.Database): Map<number, string[]> {
  const paths = new Map(
    database
      .prepare<[], { key: number; path: string }>('SELECT key, path FROM value_path')
      .all()
      .map(({ key, path }) => [String(key), path]),
  );
  const byMemory = new Map<number, string[]>();
  const rows = database.prepare<[], { pk: number; term: string }>('SELECT doc AS pk, term FROM memory_value_terms');
  for (const row of rows.iterate()) {
    const [, pathKey = '', value] = row.term.split('_');
    const [pk, term] = [row.pk, `${paths.get(pathKey)} ${value}`];
    const terms = byMemory.get(pk);
    if (terms) terms.push(term);
    else byMemory.set(pk, [term]);
  }
  return byMemory;
}
