import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { connect } from '../../clients/typescript/src/index.ts';
import { MIGRATIONS } from '../../src/storage/postgres/migrations/migrate.ts';
import { startMneme } from '../cli/support/start-mneme.ts';
import { PATIENT } from '../client/support/clean-up.ts';
import { brokenRules } from '../fault/postgres-rules.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { expectedBasics, readBasics } from './basic-contents.ts';

/** Tables that servers of older schemas wrote (`make-older-postgres.ts`), named by the schema. */
const FIXTURES = join(import.meta.dirname, '../fixtures/older-postgres');
const SCHEMA = 'mneme';
/** Revisions of a server are above those of its other namespaces, so that logs have gaps. */
const OF_SERVERS = ['the log has no gap'];

let postgres: PostgresServer;
beforeEach(async () => {
  postgres = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
}, 120_000);
afterEach(async () => {
  await postgres.stop();
  postgres.remove();
});

async function query(text: string): Promise<unknown[]> {
  const client = new Client(postgres.url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('tables of older schemas in PostgreSQL', () => {
  it.each(readdirSync(FIXTURES))(
    '%s › are upgraded, whole, read and recalled',
    async (name) => {
      await query(readFileSync(join(FIXTURES, name), 'utf8'));
      const schema = Number(/\d+/.exec(name)?.[0]);
      expect(schema).toBeLessThan(MIGRATIONS.length);
      expect(await query(`SELECT migration FROM ${SCHEMA}.meta`)).toEqual([{ migration: schema }]);

      const server = await startMneme({ env: { MNEME_POSTGRES_URL: postgres.url }, flags: ['--embedder', 'none'] });
      const mneme = connect(server.address, PATIENT);
      try {
        expect(await readBasics(mneme, true)).toEqual(expectedBasics(true));
        await mneme.store({ id: 'after', text: 'the upgrade' });
        expect((await mneme.get('after')).text).toBe('the upgrade');
      } finally {
        await mneme.close();
        await server.stop();
      }
      expect(await query(`SELECT migration FROM ${SCHEMA}.meta`)).toEqual([{ migration: MIGRATIONS.length }]);
      expect(await brokenRules(postgres.url, SCHEMA)).toEqual(OF_SERVERS);
    },
    120_000,
  );
});
