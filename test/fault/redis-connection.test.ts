import { afterEach, describe, expect, it } from '@jest/globals';
import { type RedisConnection, scriptOf } from '../../src/storage/redis/connection.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { RedisCluster, until } from '../support/redis-cluster.ts';
import { type RedisConfig, RedisServer } from '../support/redis-server.ts';

/** Timeout of the tests that wait for it; on a busy machine the others must not reach it. */
const TIMEOUT_MS = 1500;
const echo = scriptOf('echo', 'read', 'return {KEYS[1], ARGV[1]}');
const set = scriptOf('set', 'write', "return redis.call('SET', KEYS[1], ARGV[1])");
const erase = scriptOf('erase', 'erase', "return redis.call('DEL', KEYS[1])");

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function connect(...urls: string[]) {
  return connectFor(PATIENT_REDIS.commandTimeoutMs, ...urls);
}

async function connectFor(
  commandTimeoutMs: number,
  ...urls: string[]
): Promise<RedisConnection & { changes: boolean[]; refused: unknown[] }> {
  const changes: boolean[] = [];
  const refused: unknown[] = [];
  const connection = await openRedis({
    ...PATIENT_REDIS,
    urls,
    commandTimeoutMs,
    onChange: (_node, isAvailable) => changes.push(isAvailable),
    onRefusal: (_node, refusal) => refused.push(refusal?.metadata['fault'] ?? refusal?.reason),
  });
  closers.push(() => connection.close());
  return Object.assign(connection, { changes, refused });
}

async function serve(config: RedisConfig = {}): Promise<RedisServer> {
  const server = await RedisServer.started(config);
  closers.push(() => server.stop());
  return server;
}

const unavailable = (fault: string | RegExp) => ({
  reason: 'STORAGE_UNAVAILABLE',
  metadata: { backend: 'redis', fault: typeof fault === 'string' ? fault : expect.stringMatching(fault) },
});

/** A round of calls that fail, until the breaker refuses them. */
async function failUntilOpen(connection: RedisConnection): Promise<void> {
  while (connection.isAvailable)
    await expect(connection.send('k', ['GET', 'k'])).rejects.toMatchObject({ name: 'MnemeError' });
}

const works = (connection: RedisConnection) => () =>
  connection.send('k', ['SET', 'k', '1']).then(
    () => true,
    () => false,
  );

describe('RedisConnection', () => {
  it('when a script runs › any bytes go in and come out unchanged, also after Redis forgot the script', async () => {
    const server = await serve();
    const connection = await connect(server.url);
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));

    expect(await connection.run(echo, 'k', [bytes])).toEqual([Buffer.from('k'), bytes]);
    await server.command('SCRIPT', 'FLUSH');
    expect(await connection.run(echo, 'k', [bytes])).toEqual([Buffer.from('k'), bytes]);
  });

  it('without a listener, or with a wrong password › fails at once with the reason', async () => {
    const server = await serve({ requirepass: 'right' });
    const withPassword = (word: string) => server.url.replace('//', `//:${word}@`);

    await expect(connect('redis://127.0.0.1:1')).rejects.toMatchObject(unavailable('disconnected'));
    await expect(connect(withPassword('wrong'))).rejects.toMatchObject(unavailable('credentials'));
    await expect(connect(server.url)).rejects.toMatchObject(unavailable('credentials'));
    expect(await (await connect(withPassword('right'))).send('k', ['SET', 'k', 'v'])).toBe('OK');
  });

  it('when it is frozen › each call ends by its timeout, later calls at once, and calls succeed after the thaw', async () => {
    const server = await serve();
    const connection = await connectFor(TIMEOUT_MS, server.url);
    await until('it works', works(connection));
    connection.changes.length = 0;
    server.freeze();

    const startedAtMs = performance.now();
    await failUntilOpen(connection);
    expect(performance.now() - startedAtMs).toBeLessThan(TIMEOUT_MS * 3 + 10_000);
    await expect(connection.send('k', ['GET', 'k'])).rejects.toMatchObject(
      unavailable(/circuit_open|timeout|disconnected/),
    );
    server.thaw();
    await until('it works again', works(connection));

    expect(connection.isAvailable).toBe(true);
    expect(connection.changes).toEqual([false, true]);
  });

  it('when it is frozen under load › the connection is closed all the same', async () => {
    const server = await serve();
    const connection = await connectFor(TIMEOUT_MS, server.url);
    server.freeze();

    const outcomes = await Promise.allSettled(Array.from({ length: 200 }, () => connection.send('k', ['GET', 'k'])));

    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(connection.isAvailable).toBe(false);
  });

  it('when it is killed and restarted › calls fail without waiting, then succeed', async () => {
    const server = await serve();
    const connection = await connect(server.url);
    await server.kill();

    await failUntilOpen(connection);
    await expect(connection.send('k', ['GET', 'k'])).rejects.toMatchObject(unavailable(/circuit_open|disconnected/));
    await server.start();
    await until('it works again', works(connection));

    expect(await connection.send('k', ['GET', 'k'])).toEqual(Buffer.from('1'));
  });

  it('when it is a read-only replica › writes fail as a whole, reads succeed', async () => {
    const server = await serve();
    await server.command('SET', 'k', 'v');
    const connection = await connect(server.url);
    // A replica of an address without a listener.
    await server.command('REPLICAOF', '127.0.0.1', '1');

    await expect(connection.run(set, 'k', ['w'])).rejects.toMatchObject(unavailable('read_only'));
    await expect(connection.send('k', ['SET', 'k', 'w'])).rejects.toMatchObject(unavailable('read_only'));
    expect(await connection.run(echo, 'k', ['x'])).toEqual([Buffer.from('k'), Buffer.from('x')]);
    expect(connection.isAvailable).toBe(true);

    await expect(connection.run(set, 'k', ['w'])).rejects.toMatchObject(unavailable('read_only'));
    expect([connection.refusal?.metadata['fault'], connection.refused]).toEqual(['read_only', ['read_only']]);
    await server.command('REPLICAOF', 'NO', 'ONE');
    await connection.run(set, 'k', ['w']);
    expect([connection.refusal, connection.refused]).toEqual([undefined, ['read_only', undefined]]);
  });

  it('when its memory is used up › writes fail with STORAGE_FULL; reads and erasures succeed', async () => {
    const server = await serve({ maxmemory: '3mb', 'maxmemory-policy': 'noeviction' });
    const connection = await connect(server.url);
    const write = async () => {
      for (let count = 0; count < 100; count++) await connection.run(set, `k${count}`, [Buffer.alloc(100_000, count)]);
    };

    await expect(write()).rejects.toMatchObject({ reason: 'STORAGE_FULL', metadata: { backend: 'redis' } });
    expect(await connection.run(echo, 'k', ['x'])).toEqual([Buffer.from('k'), Buffer.from('x')]);
    expect(await connection.run(erase, 'k0', [])).toBe(1);
    expect([connection.refusal?.reason, connection.refused]).toEqual(['STORAGE_FULL', ['STORAGE_FULL']]);
    await connection.run(set, 'k0', ['small']);
    expect(connection.refusal).toBeUndefined();
  });

  it('when it cannot save to its disk › writes fail with this reason', async () => {
    const server = await serve();
    const connection = await connect(server.url);
    await server.command('CONFIG', 'SET', 'save', '3600 1', 'stop-writes-on-bgsave-error', 'yes');
    // rdb files cannot be written into a deleted folder.
    const { rm } = await import('node:fs/promises');
    await rm(server.folder, { recursive: true });
    await connection.send('k', ['SET', 'k', 'v']);
    await server.command('BGSAVE');
    await until('the save failed', async () =>
      String(await server.command('INFO', 'persistence')).includes('rdb_last_bgsave_status:err'),
    );

    await expect(connection.run(set, 'k', ['w'])).rejects.toMatchObject(unavailable('persistence_failed'));
  });

  it('when it is closed › open calls finish, later ones fail with DRAINING', async () => {
    const connection = await connect((await serve()).url);
    const inHand = connection.send('k', ['SET', 'k', 'v']);
    await Promise.all([connection.close(), connection.close()]);

    expect(await inHand).toBe('OK');
    await expect(connection.send('k', ['GET', 'k'])).rejects.toMatchObject({ reason: 'DRAINING' });
  });
});

describe('RedisConnection › cluster of six', () => {
  it('from one of its nodes › finds the others; one keyspace is on one node, and a killed master is replaced', async () => {
    const cluster = await RedisCluster.started({ nodeTimeoutMs: 4000 });
    closers.push(() => cluster.stop());
    const connection = await connect(cluster.urls[0] ?? '', cluster.urls[3] ?? '');
    const keys = Array.from({ length: 30 }, (_, index) => `m:{room${index}}`);

    for (const key of keys) expect(await connection.run(set, key, [key])).toBe('OK');
    for (const key of keys) expect(await connection.send(key, ['GET', key])).toEqual(Buffer.from(key));
    expect(connection.isCluster).toBe(true);
    expect(await connection.askAll(['DBSIZE'])).toHaveLength(3);

    const [key = ''] = keys;
    await cluster.replicated(key);
    await (await cluster.masterOf(key)).kill();
    await expect(connection.run(set, key, ['lost'])).rejects.toMatchObject({ reason: 'STORAGE_UNAVAILABLE' });
    await until('a replica took over', () =>
      connection.run(set, key, ['again']).then(
        () => true,
        () => false,
      ),
    );

    for (const other of keys.slice(1)) expect(await connection.send(other, ['GET', other])).toEqual(Buffer.from(other));
    expect(await connection.send(key, ['GET', key])).toEqual(Buffer.from('again'));
  });
});
