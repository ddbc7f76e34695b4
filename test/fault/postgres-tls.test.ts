import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { sql } from '#kysely';
import { servingCall } from '../../src/storage/current-call.ts';
import { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { openPostgresRecords } from '../../src/storage/postgres/record-store.ts';
import { NOW_US, put, SPACE } from '../storage/conformance/memory-store/store-of-test.ts';
import { CANCELLED, EndingCall } from '../support/ending-call.ts';
import { freePort } from '../support/free-port.ts';
import { newMemory } from '../support/new-memory.ts';
import { hasPostgresWithTls, PostgresServer } from '../support/postgres-server.ts';

const POLL_MS = 5;
let postgres: PostgresServer | undefined;
let admin: Client | undefined;
let folder: string;
let port: number;

/** A certificate for these names, signed by itself: its own authority. */
async function certificate(name: string, names: string): Promise<{ cert: string; key: string }> {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`];
  const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert];
  const { status, stderr } = spawnSync('openssl', ['req', ...made, ...subject], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return { cert, key };
}

// It has no wheel: whoever cannot install packages of the system goes without, CI fails.
(hasPostgresWithTls || process.env['CI'] ? describe : describe.skip)('TLS to PostgreSQL', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-postgres-tls-'));
    port = await freePort();
    const { cert, key } = await certificate('server', 'IP:127.0.0.1');
    await certificate('other', 'IP:127.0.0.1');
    const server = new PostgresServer({ version: 'system', parameters: { fsync: 'off' } });
    postgres = server;
    const rules = ['local all all trust', 'hostssl all all 127.0.0.1/32 scram-sha-256'];
    await server.start({
      listen_addresses: '127.0.0.1',
      port: String(port),
      ssl: 'on',
      ssl_cert_file: server.file('server.pem', await readFile(cert, 'utf8')),
      ssl_key_file: server.file('server.key', await readFile(key, 'utf8')),
      hba_file: server.file('hba.conf', `${rules.join('\n')}\n`),
    });
    const socket = `postgresql://mneme@/postgres?host=${encodeURIComponent(server.folder)}&port=${port}`;
    admin = new Client(socket);
    await admin.connect();
    await admin.query(`CREATE ROLE app LOGIN PASSWORD 'p@ss/word'; GRANT CREATE ON DATABASE postgres TO app`);
  }, 120_000);
  afterAll(async () => {
    await admin?.end();
    await postgres?.stop();
    postgres?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const urlOf = (query: string, password = 'p%40ss%2Fword', host = '127.0.0.1') =>
    `postgresql://app:${password}@${host}:${port}/postgres${query}`;
  const opened = async (url: string, tlsCa = '') => {
    const records = await openPostgresRecords({ url, tlsCa, schema: 'tls' });
    try {
      await put(records, [newMemory({ id: 'a' })], { onConflict: 'replace' });
      const [memory] = await records.get({ namespace: SPACE, ids: ['a'], view: 'basic', nowUs: NOW_US });
      return memory?.id;
    } finally {
      await records.close();
    }
  };

  it('each mode with what it asks for › stores and reads', async () => {
    const ca = join(folder, 'server.pem');
    expect(await opened(urlOf('?sslmode=require'))).toBe('a');
    expect(await opened(urlOf('?sslmode=verify-ca'), ca)).toBe('a');
    expect(await opened(urlOf('?sslmode=verify-full'), ca)).toBe('a');
    expect(await opened(urlOf(`?sslmode=verify-full&sslrootcert=${encodeURIComponent(ca)}`))).toBe('a');
    // The name of the certificate does not count.
    expect(await opened(urlOf('?sslmode=verify-ca', undefined, 'localhost'), ca)).toBe('a');
  }, 60_000);

  it.each([
    ['without TLS', '', '', 'credentials', undefined],
    ['another authority', '?sslmode=verify-ca', 'other.pem', 'tls', undefined],
    ['another authority, required only', '?sslmode=require', 'other.pem', 'tls', undefined],
    ['authorities of the system', '?sslmode=verify-full', '', 'tls', undefined],
    ['another name', '?sslmode=verify-full', 'server.pem', 'tls', 'localhost'],
  ])('%s › refused', async (_, query, ca, fault, host) => {
    const url = urlOf(query, undefined, host);
    await expect(opened(url, ca && join(folder, ca))).rejects.toMatchObject({ metadata: { fault } });
  });

  it('a connection that falls silent › PostgreSQL looks for its server, and ends the session where it is gone', async () => {
    const database = new PostgresDatabase({ url: urlOf('?sslmode=require') });
    const shown = await database.read((session) =>
      session.run(sql<{ name: string; setting: string }>`SELECT name, setting FROM pg_settings
        WHERE name IN ('tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count', 'tcp_user_timeout')`),
    );
    await database.close();
    expect(Object.fromEntries(shown.map(({ name, setting }) => [name, Number(setting)]))).toEqual({
      tcp_keepalives_idle: 30,
      tcp_keepalives_interval: 5,
      tcp_keepalives_count: 3,
      tcp_user_timeout: 30_000,
    });
  });

  it('a call that ends while its statement runs › PostgreSQL ends the statement', async () => {
    const url = urlOf('?sslmode=verify-full');
    const options = { url, tlsCa: join(folder, 'server.pem'), schema: 'ended', statementTimeoutMs: 3_600_000 };
    const records = await openPostgresRecords(options);
    const caller = new EndingCall();
    try {
      await admin?.query('BEGIN; LOCK TABLE ended.namespace IN ACCESS EXCLUSIVE MODE');
      const late = servingCall(caller, () => records.getNamespace(SPACE));
      late.catch(() => undefined);
      const waiting = `SELECT FROM pg_locks WHERE relation = 'ended.namespace'::regclass AND NOT granted`;
      while ((await admin?.query(waiting))?.rowCount === 0) await sleep(POLL_MS);
      caller.end();
      await expect(late).rejects.toBe(CANCELLED);
      expect((await admin?.query(waiting))?.rowCount).toBe(0);
    } finally {
      await admin?.query('ROLLBACK');
      await records.close();
    }
  });

  it('a wrong password, a file that is missing › refused, without the password', async () => {
    const error: unknown = await opened(urlOf('?sslmode=require', 'wrong')).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ metadata: { fault: 'credentials' } });
    expect(`${error}${(error as Error).cause}`).not.toContain('wrong');
    await writeFile(join(folder, 'empty.pem'), '');
    await expect(opened(urlOf('?sslmode=verify-full'), join(folder, 'none.pem'))).rejects.toThrow(
      'cannot be read (ENOENT)',
    );
  });
});
