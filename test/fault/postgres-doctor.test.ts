import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { runMneme } from '../cli/support/run-mneme.ts';
import { serveMneme } from '../cli/support/serve-mneme.ts';
import { PostgresServer } from '../support/postgres-server.ts';

const FLAGS = ['--listen', '127.0.0.1:0'];

let folder = '';
let owner = '';
let postgres: PostgresServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-doctor-postgres-'));
  owner = join(folder, 'owner');
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  const server = await serveMneme({ data: owner, flags: ['--embedder', 'none'] });
  await runMneme(['store', 'the cat sleeps', '--server', server.address]);
  await server.stop();
}, 120_000);
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
  rmSync(folder, { recursive: true });
});

async function sql(...statements: string[]): Promise<void> {
  const client = new Client(postgres.url);
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function run(args: readonly string[], env: Record<string, string>): Promise<void> {
  const { code, stderr } = await runMneme(args, { env });
  expect([stderr, code]).toEqual(['', 0]);
}

/** What `mneme doctor` says of a part; a start with the same settings is refused for the same reason. */
async function refusalOf(part: string, data: string, env: Record<string, string>): Promise<string> {
  const checked = await runMneme(['doctor', '--data', data, '--json', ...FLAGS], { env });
  const { checks } = JSON.parse(checked.stdout) as { checks: { name: string; status: string; message: string }[] };
  const { status, message = '' } = checks.find(({ name }) => name === part) ?? {};
  expect([status, message, checked.code]).toEqual(['fail', message, 1]);
  const started = await runMneme(['serve', '--data', data, '--embedder', 'none', ...FLAGS], { env });
  const [reason = ''] = part === 'postgres' ? message.split(': ').slice(1) : [message];
  expect([started.code, started.stderr]).toEqual([1, expect.stringContaining(reason)]);
  return message;
}

describe('mneme doctor, where a start is refused', () => {
  it('a folder that owns memories beside PostgreSQL › fails', async () => {
    expect(await refusalOf('data folder', owner, postgres.envOf('owners'))).toMatch(
      /owner owns memories.* into PostgreSQL with "mneme migrate" \(docs\/postgres\.md\)/,
    );
  }, 60_000);

  it('a folder whose memories were moved; tables whose memories were moved, or with another number › fail', async () => {
    const [env, moved] = [postgres.envOf('moved'), join(folder, 'moved')];
    cpSync(owner, moved, { recursive: true });
    await run(['migrate', '--to', 'postgres', '--data', moved], env);
    expect(await refusalOf('data folder', moved, {})).toMatch(/the memories of data folder .*moved were moved to/);
    await run(['migrate', '--to', 'folder', '--data', join(folder, 'back')], env);
    expect(await refusalOf('postgres', join(folder, 'other'), env)).toMatch(
      /: "mneme migrate" has moved these records to .*back: start a server there/,
    );
    await sql('DROP TABLE moved.migration', 'UPDATE moved.meta SET schema_number = 1000');
    expect(await refusalOf('postgres', join(folder, 'other'), env)).toMatch(
      /: schema moved of PostgreSQL has tables with number 1000, and this version of mneme uses number \d+ only: export/,
    );
  }, 120_000);

  it('a view without MNEME_POSTGRES_URL › fails', async () => {
    const view = join(folder, 'view');
    const server = await serveMneme({ data: view, env: postgres.envOf('viewed'), flags: ['--embedder', 'none'] });
    await server.stop();
    expect(await refusalOf('data folder', view, {})).toMatch(/view is a view of PostgreSQL and owns no memories: set/);
    const { stdout } = await runMneme(['doctor', '--data', view, ...FLAGS], { env: postgres.envOf('viewed') });
    expect(stdout).toMatch(/^ok {4}data folder/m);
  }, 60_000);

  it('a role that may not make the schema, a database that does not exist › the start says what to do', async () => {
    await sql('CREATE ROLE eve LOGIN');
    const url = postgres.url.replace(`//${postgres.user}@`, '//eve@');
    const refused = { MNEME_POSTGRES_URL: url, MNEME_POSTGRES_SCHEMA: 'of_eve' };
    const says = /role of this server.*GRANT CREATE ON DATABASE .* \(permission denied for database postgres\)/;
    const serve = ['serve', '--data', join(folder, 'none'), '--embedder', 'none', ...FLAGS];
    expect((await runMneme(serve, { env: refused })).stderr).toMatch(says);
    const nowhere = { MNEME_POSTGRES_URL: postgres.url.replace('/postgres?', '/nowhere?') };
    const { stderr } = await runMneme(serve, { env: nowhere });
    expect(stderr).toMatch(/database .* does not exist in PostgreSQL: make it with CREATE DATABASE/);
  }, 60_000);
});
