import { Client } from 'pg';

/** All rows but those that a new schema has. Numbers of rows go on. */
const EMPTY = `DO $$
DECLARE each regclass;
BEGIN
  FOR each IN SELECT oid FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> 'meta' LOOP
    EXECUTE format('DELETE FROM %s', each);
  END LOOP;
  UPDATE meta SET revision_floor = 0, settings = '{}';
END $$`;

/** By URL of a PostgreSQL: schemas with all tables, and without the rows of the test that had them. */
const emptied = new Map<string, string[]>();

/** Undefined where none is free. */
export function takeSchema(url: string): string | undefined {
  return emptied.get(url)?.pop();
}

/** Empties a schema, whose store is closed, for the next one: to make its tables takes 100 ms of CPU, this a tenth. */
export async function giveBackSchema(url: string, schema: string): Promise<void> {
  const client = new Client({ connectionString: url, options: `-c search_path=${schema}` });
  await client.connect();
  try {
    await client.query(EMPTY);
  } finally {
    await client.end();
  }
  emptied.set(url, [...(emptied.get(url) ?? []), schema]);
}
