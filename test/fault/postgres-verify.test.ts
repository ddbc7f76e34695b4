import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { runMneme } from '../cli/support/run-mneme.ts';
import { type ServedMneme, serveMneme } from '../cli/support/serve-mneme.ts';
import { PATIENT } from '../client/support/clean-up.ts';
import { PostgresServer } from '../support/postgres-server.ts';

const SECRET = 'secret-of-the-role';
const ADA = { project: 'p', agentType: 'x', agent: 'ada' };
const EVE = { ...ADA, agent: 'eve' };

let folder = '';
let view = '';
let env: Record<string, string>;
let postgres: PostgresServer;
let server: ServedMneme;
let mneme: Mneme;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-verify-postgres-'));
  view = join(folder, 'view');
  postgres = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
  env = { MNEME_POSTGRES_URL: postgres.url.replace('@', `:${SECRET}@`) };
  server = await serveMneme({ data: view, env, flags: ['--embedder', 'none'] });
  mneme = connect(server.address, PATIENT);
  for (const id of ['whole', 'text', 'fields', 'former']) await mneme.store({ id, text: id, scope: EVE });
  await mneme.store({ id: 'erased', text: 'erased', scope: ADA });
  await mneme.update('former', { text: 'second' });
  await mneme.agents.createSnapshot(ADA, { snapshotId: 'before' });
  await mneme.delete('erased');
}, 120_000);
afterAll(async () => {
  await mneme.close();
  await server.stop();
  await postgres.stop();
  postgres.remove();
  rmSync(folder, { recursive: true });
});

/** Changes bytes as a fault of a disk does that PostgreSQL does not see. */
async function damage(...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: postgres.url, options: '-c search_path=mneme' });
  await client.connect();
  try {
    for (const statement of statements) expect((await client.query(statement)).rowCount).toBe(1);
  } finally {
    await client.end();
  }
}

const bodyOf = (table: string, id: string) =>
  `UPDATE memory_body SET text = 'other' WHERE sequence = (SELECT sequence FROM ${table} WHERE id = '${id}')`;

describe('mneme verify with MNEME_POSTGRES_URL', () => {
  it('whole records › whole, beside a server', async () => {
    const { code, stdout, stderr } = await runMneme(['verify'], { env });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\S+, schema mneme is whole: 4 memories\n$/);
    expect(stdout).not.toContain(SECRET);
  }, 60_000);

  it('a view › refused by verify and repair with the text that says what verifies PostgreSQL', async () => {
    for (const given of [{}, env]) {
      const { code, stdout, stderr } = await runMneme(['verify', '--data', view], { env: given });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/view is a view of PostgreSQL .*: verify PostgreSQL itself, with MNEME_POSTGRES_URL/);
    }
    const repaired = await runMneme(['repair', '--data', view]);
    expect([repaired.code, repaired.stderr]).toEqual([1, expect.stringContaining('is a view of PostgreSQL')]);
  }, 60_000);

  it('damaged rows › DATA_LOSS names PostgreSQL and a remedy; all of them are listed, exit code 1', async () => {
    await damage(
      bodyOf('memory', 'text'),
      `UPDATE memory SET fields = replace(fields, 'eve', 'ada') WHERE id = 'fields'`,
      `UPDATE memory_revision SET state = replace(state, 'former', 'another')`,
      bodyOf('erased_memory', 'erased'),
    );
    for (const id of ['text', 'fields']) {
      await expect(mneme.get(id)).rejects.toMatchObject({
        code: 'DATA_LOSS',
        reason: 'CHECKSUM_MISMATCH',
        metadata: { name: `namespaces/default/memories/${id}` },
        message: expect.stringMatching(
          /PostgreSQL has other bytes .* restore PostgreSQL from a backup; "mneme verify"/,
        ),
      });
    }
    const { code, stdout, stderr } = await runMneme(['verify'], { env });
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      ...['text', 'fields', 'former'].map((id) => `lost memory    namespaces/default/memories/${id}`),
      'lost snapshot  namespaces/default/memories/erased',
    ]);
    expect(stdout).toMatch(
      /schema mneme is damaged; 1 memory is sound: delete these .* restore PostgreSQL from a backup\n$/,
    );
    const json = await runMneme(['verify', '--json'], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, tables: [], soundCount: 1 });
    await mneme.delete('text');
    expect((await runMneme(['verify'], { env })).stdout).not.toContain('memories/text\n');
  }, 120_000);

  it('X2 a row of a body that is lost › DATA_LOSS, listed by verify, and deleted', async () => {
    await mneme.store({ id: 'bodyless', text: 'without a body', scope: EVE });
    await damage(`DELETE FROM memory_body WHERE sequence = (SELECT sequence FROM memory WHERE id = 'bodyless')`);
    await expect(mneme.get('bodyless')).rejects.toMatchObject({ code: 'DATA_LOSS', reason: 'CHECKSUM_MISMATCH' });
    expect((await runMneme(['verify'], { env })).stdout).toContain(
      'lost memory    namespaces/default/memories/bodyless\n',
    );
    await mneme.delete('bodyless');
    expect((await mneme.batchGet(['bodyless'])).missingIds).toEqual(['bodyless']);
  }, 60_000);

  it('PostgreSQL that is away, or without tables › one line, exit code 1', async () => {
    const away = { MNEME_POSTGRES_URL: `postgresql://u:${SECRET}@127.0.0.1:9/d` };
    for (const [given, says] of [
      [away, /no connection to PostgreSQL at 127\.0\.0\.1:9/],
      [{ ...env, MNEME_POSTGRES_SCHEMA: 'missing' }, /schema missing of PostgreSQL has no tables/],
    ] as const) {
      const { code, stdout, stderr } = await runMneme(['verify'], { env: given });
      expect([code, stdout, stderr.trimEnd().split('\n').length]).toEqual([1, '', 1]);
      expect(stderr).toMatch(says);
      expect(stderr).not.toContain(SECRET);
    }
  }, 60_000);
});
