import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isServersLockHeld } from '../../src/storage/postgres/servers-lock.ts';
import { SessionOwner } from '../../src/storage/postgres/sessions/session-owner.ts';
import { runMneme } from '../cli/support/run-mneme.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { act, append, HERE, set, valuesOf, write } from '../storage/conformance/session-store/session-of-test.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { openSessionsOfTest } from '../support/postgres-sessions.ts';
import { RedisCluster, until } from '../support/redis-cluster.ts';
import { RedisServer } from '../support/redis-server.ts';

const FLAGS = ['--embedder', 'none'];
let postgres: PostgresServer;
let redis: RedisServer;
let folder: string;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-postgres-redis-'));
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  redis = await RedisServer.started();
}, 120_000);
afterAll(async () => {
  await redis.stop();
  await postgres.stop();
  postgres.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Variables of servers with a schema and a prefix of their own. */
function settings() {
  const name = `home_${++count}`;
  // Leases of jobs end soon.
  const soon = { MNEME_EXPIRY_INTERVAL_MS: '200' };
  const postgresOnly = { ...postgres.envOf(name), ...soon };
  const redisOnly = { MNEME_REDIS_URL: redis.url, MNEME_REDIS_KEY_PREFIX: name };
  return { name, postgresOnly, redisOnly, both: { ...postgresOnly, ...redisOnly } };
}

const newFolder = () => join(folder, `data-${++count}`);

async function withServer<T>(
  env: Record<string, string>,
  work: (server: RunningMneme) => Promise<T>,
  data = newFolder(),
): Promise<T> {
  const server = await startMneme({ data, flags: FLAGS, env, isQuiet: true });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** A start that is refused: its error, on one line. */
async function refusal(env: Record<string, string>, flags: readonly string[] = []): Promise<string> {
  const { code, stdout, stderr } = await runMneme(
    ['serve', '--listen', '127.0.0.1:0', '--data', newFolder(), ...FLAGS, ...flags],
    { env },
  );
  expect([code === 1 || code === 2, stdout, code, stderr]).toEqual([true, '', code, expect.any(String)]);
  const lines = stderr.split('\n').filter((line) => !line.startsWith('{') && line !== '');
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

const cli = async ({ address }: RunningMneme, ...words: string[]): Promise<string> => {
  const { stdout, stderr } = await runMneme([...words, '--server', address]);
  expect(stderr).toBe('');
  return stdout;
};

describe('mneme serve with MNEME_POSTGRES_URL and MNEME_REDIS_URL', () => {
  it('a newcomer › has sessions in Redis and memories in PostgreSQL; a server without Redis is refused from then on', async () => {
    const { both, postgresOnly } = settings();
    await withServer(both, async (server) => {
      await cli(server, 'session', 'set', 'run-7', 'plan', '"go"');
      await cli(server, 'store', 'the cat sleeps');
      expect(await cli(server, 'stats')).toMatch(/sessions .*redis/);
      expect(await refusal(postgresOnly)).toMatch(/sessions of its servers are in Redis. Expected MNEME_REDIS_URL/);
    });
    expect(await refusal(postgresOnly)).toMatch(/sessions of its servers are in Redis. Expected MNEME_REDIS_URL/);
    await withServer(both, async (server) => {
      expect(await cli(server, 'session', 'get', 'run-7', 'plan')).toContain('go');
      expect(await cli(server, 'list')).toContain('the cat sleeps');
    });
  }, 240_000);

  it('servers without Redis run on the same PostgreSQL › refused; once they have stopped, it starts', async () => {
    const { both, postgresOnly } = settings();
    await withServer(postgresOnly, async (server) => {
      await cli(server, 'store', 'the cat sleeps');
      expect(await refusal(both)).toMatch(/MNEME_REDIS_URL: servers without it use the same MNEME_POSTGRES_URL/);
    });
    await withServer(both, async (server) => {
      expect(await cli(server, 'list')).toContain('the cat sleeps');
    });
  }, 240_000);

  it('PostgreSQL has sessions › refused, and they stay', async () => {
    const { both, postgresOnly } = settings();
    await withServer(postgresOnly, (server) => cli(server, 'session', 'set', 'run-7', 'plan', '"go"'));
    expect(await refusal(both)).toMatch(/MNEME_REDIS_URL: PostgreSQL has sessions/);
    await withServer(postgresOnly, async (server) => {
      expect(await cli(server, 'session', 'get', 'run-7', 'plan')).toContain('go');
    });
  }, 240_000);

  it('another Redis than that of servers that run › refused', async () => {
    const { both } = settings();
    const other = await RedisServer.started();
    try {
      await withServer(both, async () => {
        expect(await refusal({ ...both, MNEME_REDIS_URL: other.url })).toMatch(/this Redis does not hold the sessions/);
      });
    } finally {
      await other.stop();
    }
  }, 240_000);

  it('two servers with different Redis that start together › one of them is refused', async () => {
    const { both } = settings();
    const other = await RedisServer.started();
    const starts = await Promise.allSettled(
      [redis.url, other.url].map((url) =>
        startMneme({ data: newFolder(), flags: FLAGS, env: { ...both, MNEME_REDIS_URL: url }, isQuiet: true }),
      ),
    );
    const started = starts.filter((start) => start.status === 'fulfilled');
    for (const { value } of started) await value.stop();
    await other.stop();
    expect(started).toHaveLength(1);
  }, 240_000);

  it('another Redis after all servers have stopped › has the sessions from then on; the former one is refused', async () => {
    const { both } = settings();
    const other = await RedisServer.started();
    try {
      await withServer(both, async () => undefined);
      await withServer({ ...both, MNEME_REDIS_URL: other.url }, async () => undefined);
      expect(await refusal(both)).toMatch(/before another Redis or a restore.* delete the key home_\d+:session-home/);
      await withServer({ ...both, MNEME_REDIS_URL: other.url }, async () => undefined);
    } finally {
      await other.stop();
    }
  }, 240_000);

  it('a prefix with sessions of another PostgreSQL, or servers without one at a prefix with sessions › refused', async () => {
    const [one, two] = [settings(), settings()];
    await withServer(one.both, async () => undefined);
    const prefix = { MNEME_REDIS_KEY_PREFIX: one.name };
    expect(await refusal({ ...two.both, ...prefix })).toMatch(/sessions of servers with another PostgreSQL/);
    expect(await refusal(one.redisOnly)).toMatch(/sessions of servers with PostgreSQL/);
  }, 240_000);

  it('a prefix that one server without PostgreSQL uses › refused', async () => {
    const { both, redisOnly } = settings();
    await withServer(redisOnly, async () => {
      expect(await refusal(both)).toMatch(/another server uses it .*its sessions are of other namespaces/);
    });
    // Also while it is down: its sessions stay its own, and it starts again.
    expect(await refusal(both)).toMatch(/it has the sessions of a server without PostgreSQL. Expected another prefix/);
    await withServer(redisOnly, async () => undefined);
  }, 240_000);

  it('mneme doctor › says what is wrong with settings by which sessions would be missing', async () => {
    const doctorWith = async (env: Record<string, string>): Promise<string> => {
      const { stdout } = await runMneme(['doctor', '--data', newFolder(), '--json'], { env });
      const { checks } = JSON.parse(stdout) as {
        checks: { name: string; status: string; message: string; fix?: string }[];
      };
      const { status, message, fix } = checks.find(({ name }) => name === 'postgres') ?? {};
      return `${status}: ${message}, fix: ${fix}`;
    };
    const [inRedis, inPostgres] = [settings(), settings()];
    expect(await doctorWith(inRedis.both)).toMatch(/^warn: .*fsync is off/);
    await withServer(inRedis.both, async () => undefined);
    expect(await doctorWith(inRedis.both)).toMatch(/^warn: .*fsync is off/);
    expect(await doctorWith(inRedis.postgresOnly)).toMatch(
      /^fail: .*sessions of its servers are in Redis, fix: set MN/,
    );
    await withServer(inPostgres.postgresOnly, (server) => cli(server, 'session', 'set', 'run-7', 'plan', '"go"'));
    expect(await doctorWith(inPostgres.postgresOnly)).toMatch(/^warn: .*fsync is off/);
    expect(await doctorWith(inPostgres.both)).toMatch(
      /^fail: .*has sessions, which would be missing in Redis, fix: un/,
    );
  }, 240_000);

  it('a Redis cluster › has the sessions, also of a server that starts with one of its nodes', async () => {
    const cluster = await RedisCluster.started();
    try {
      const { both } = settings();
      await withServer({ ...both, MNEME_REDIS_URL: cluster.urls.join(',') }, (server) =>
        cli(server, 'session', 'set', 'run-7', 'plan', '"go"'),
      );
      await withServer({ ...both, MNEME_REDIS_URL: cluster.urls[0] ?? '' }, async (server) => {
        expect(await cli(server, 'session', 'get', 'run-7', 'plan')).toContain('go');
      });
    } finally {
      await cluster.stop();
    }
  }, 240_000);

  it.each([['--sessions-when-lost', ['--sessions-when-lost', 'serve_local'], /--sessions-when-lost: expected fail/]])(
    '%s besides › refused',
    async (_, flags, says) => {
      expect(await refusal(settings().both, flags)).toMatch(says);
    },
  );
});

describe('sessions of a PostgreSQL that were given to Redis', () => {
  it('a server that started before › stores none, and says why', async () => {
    const { sessions, records, close } = await openSessionsOfTest({ url: postgres.url });
    try {
      const owner = new SessionOwner(records.access);
      expect(await owner.mark()).toBeUndefined();
      const marks = await Promise.all(['a', 'b', 'c'].map((mark) => owner.giveToRedis(mark)));
      expect(new Set(marks).size).toBe(1);
      expect(await owner.mark()).toBe(marks[0]);
      await expect(act(sessions, set('a', '1'))).rejects.toMatchObject({
        reason: 'STORAGE_UNAVAILABLE',
        metadata: { backend: 'postgres', fault: 'sessions_elsewhere' },
      });
    } finally {
      await close();
    }
  });

  it('the lock of servers › is seen from the moment on at which one follows the records', async () => {
    const { records, close } = await openSessionsOfTest({ url: postgres.url });
    const isHeld = () => records.access.read((session) => isServersLockHeld(session, records.core.database.schema));
    try {
      expect(await isHeld()).toBe(false);
      const stop = records.follow(() => undefined);
      await until('it is held', isHeld);
      stop();
      await until('it is free', async () => !(await isHeld()));
    } finally {
      await close();
    }
  });

  it('given while sessions are made › all that were acknowledged are there, and it is not given', async () => {
    const { sessions, records, close } = await openSessionsOfTest({ url: postgres.url });
    try {
      const owner = new SessionOwner(records.access);
      const writes = Array.from({ length: 20 }, (_, at) => write(sessions, [append('x')], { session: `s${at}` }));
      const [given, ...made] = await Promise.allSettled([owner.giveToRedis('mark'), ...writes]);
      const isGiven = given?.status === 'fulfilled' && given.value === 'mark';
      const acknowledged = made.filter((one) => one.status === 'fulfilled').length;
      // One of both has come first.
      expect(isGiven ? acknowledged : acknowledged - 20).toBe(0);
      if (!isGiven) expect(await valuesOf(sessions, { key: { ...HERE, session: 's0' } })).toEqual({});
    } finally {
      await close();
    }
  });
});
