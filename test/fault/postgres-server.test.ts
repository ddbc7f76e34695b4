import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { POSTGRES_VERSIONS, PostgresServer } from '../support/postgres-server.ts';

describe('the PostgreSQL that tests start', () => {
  const { TMPDIR } = process.env;
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mneme-fixture-'));
    // PostgreSQL runs as another user where the test runs as root.
    chmodSync(folder, 0o755);
    process.env['TMPDIR'] = folder;
  });
  afterEach(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
    rmSync(folder, { recursive: true });
  });

  it('its data cannot be created › fails, and leaves no folder', () => {
    expect(() => new PostgresServer({ user: 'pg_reserved' })).toThrow('initdb failed');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(POSTGRES_VERSIONS)('version %s › killed and started again › has what was committed', async (version) => {
    const server = await PostgresServer.started({ version });
    try {
      await query(server, 'CREATE TABLE t(n int); INSERT INTO t VALUES (1)');
      await server.kill();
      await server.start();
      const [[row], [shown]] = [await query(server, 'SELECT n FROM t'), await query(server, 'SHOW server_version')];
      expect(row).toEqual({ n: 1 });
      expect(String(Object.values(shown ?? {})[0])).toMatch(new RegExp(`^${version}[.]`));
    } finally {
      await server.stop();
      server.remove();
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

async function query(server: PostgresServer, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(server.url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
