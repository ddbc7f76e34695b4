import Database from 'better-sqlite3';
import { checksumOf } from '../../../src/memory/checksum.ts';
import type { Content } from '../../../src/memory/memory.ts';
import { databaseFileIn } from '../../../src/storage/sqlite/database.ts';
import { MIGRATIONS, migrate } from '../../../src/storage/sqlite/migrations/migrate.ts';
import { rowKey } from '../../../src/storage/sqlite/schema.ts';

export const STORED_US = 1_700_000_000_000_000;

export interface OlderMemory {
  readonly id: string;
  readonly text: string;
  readonly content?: Content;
}

type Insert = (table: string, row: object) => void;

/** A folder of the version before a migration, with memories of ada in the namespace `n`, whose key is 1. */
export function olderFolder(
  folder: string,
  before: string,
  memories: readonly OlderMemory[],
  more?: (insert: Insert) => void,
): void {
  const file = databaseFileIn(folder);
  migrate(file, MIGRATIONS.slice(0, MIGRATIONS.indexOf(before)));
  const database = new Database(file);
  const insert: Insert = (table, row) => {
    const names = Object.keys(row);
    const values = names.map((name) => `@${name}`);
    database.prepare(`INSERT INTO ${table}(${names.join()}) VALUES (${values.join()})`).run(row);
  };
  insert('namespace', { ...NAMESPACE, next_sequence: memories.length + 1 });
  memories.forEach(({ id, text, content }, at) => {
    const pk = rowKey(1, at + 1);
    const content_bytes = Buffer.byteLength(text) + (content?.data.byteLength ?? 0);
    insert('memory', { ...MEMORY, pk, id, content_bytes, revision: at + 2 });
    const bytes = { media_type: content?.mediaType ?? '', content: content?.data ?? null };
    insert('memory_body', { ...BODY, pk, text, ...bytes, checksum: checksumOf(text, content) });
  });
  more?.(insert);
  database.exec(`UPDATE meta SET value = ${memories.length + 1} WHERE key = 'revision'`);
  database.close();
}

const NAMESPACE = {
  key: 1,
  name: 'n',
  description: '',
  memory_limit: 0,
  embedding_model: '',
  embedding_dimension: 0,
  created_at_us: STORED_US,
  updated_at_us: STORED_US,
  revision: 1,
};

const MEMORY = {
  namespace_key: 1,
  type: 'fact',
  agent: 'ada',
  event_at_us: STORED_US,
  created_at_us: STORED_US,
  updated_at_us: STORED_US,
  importance: 0.5,
  priority: 1,
  retrieval_count: 0,
  tier: 1,
  values_partial: 0,
  embedding_state: 0,
  project: '',
  agent_type: '',
  session: '',
  speaker: '',
  location: '',
  room: '',
  region: '',
  superseded_by: '',
};

const BODY = { text_derived: 0, tags: '[]', source_uri: '', source_origin: '' };
