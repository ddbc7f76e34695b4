import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { connect, type Delivery, type Mneme, type WatchEvent } from '../../clients/typescript/src/index.ts';
import { MIGRATIONS } from '../../src/storage/postgres/migrations/migrate.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { PATIENT } from '../client/support/clean-up.ts';
import { formerVersion } from '../demo/mesh/former-version.ts';
import { freePort } from '../support/free-port.ts';
import { PostgresServer } from '../support/postgres-server.ts';

/** The last commit before migration 8 of the tables: where it no longer runs with the present packages, take a later one. */
const FORMER = 'b0ea38247909bb3fbd2f59e7cb31f43e1a89c71a';
const WRITERS = 3;
/** Memories of each writer in each phase, at least. */
const ROUNDS = 5;
const SUBSCRIPTION = 'all';
/** The commit is absent in a shallow clone and in an archive of the sources. The workflows of GitHub have it. */
const isThere = spawnSync('git', ['cat-file', '-e', `${FORMER}^{commit}`], { cwd: import.meta.dirname }).status === 0;
const isExpected = process.env['GITHUB_ACTIONS'] === 'true';

let folder: string;
let postgres: PostgresServer;
let mneme: Mneme | undefined;
const servers = new Map<string, RunningMneme>();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-rolling-'));
  postgres = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
}, 120_000);
afterEach(async () => {
  await mneme?.close();
  for (const server of servers.values()) await server.stop('SIGKILL');
  await postgres.stop();
  postgres.remove();
  await rm(folder, { recursive: true });
});

async function start(listen: string, program?: string): Promise<void> {
  const data = join(folder, listen.replace(':', '-'));
  const env = { MNEME_POSTGRES_URL: postgres.url };
  const common = { listen, data, env, flags: ['--embedder', 'none'] };
  servers.set(listen, await startMneme({ ...common, ...(program !== undefined && { program: [program] }) }));
}

async function migration(): Promise<unknown> {
  const client = new Client(postgres.url);
  await client.connect();
  try {
    return (await client.query<{ migration: number }>('SELECT migration FROM mneme.meta')).rows[0]?.migration;
  } finally {
    await client.end();
  }
}

/** Calls and streams over connections to all servers; a call that fails ends the test. */
class Load {
  readonly stored = new Map<string, string>();
  private readonly mneme: Mneme;

  constructor(client: Mneme) {
    this.mneme = client;
  }

  /** Writers and readers work during the step, and for some rounds at least. */
  async during(step: () => Promise<void> = async () => {}): Promise<void> {
    let isOver = false;
    const work = async (writer: string): Promise<void> => {
      for (let round = 0; round < ROUNDS || !isOver; round++) await this.round(writer);
    };
    const stepping = step().finally(() => {
      isOver = true;
    });
    await Promise.all([stepping, ...Array.from({ length: WRITERS }, (_, at) => work(`w${at}`))]);
  }

  private async round(writer: string): Promise<void> {
    const word = `${writer}n${this.stored.size}`;
    const [id, text] = [`${word}-id`, `${word} lies at anchor`];
    this.stored.set(id, text);
    await this.mneme.store({ id, text });
    expect((await this.mneme.get(id)).text).toBe(text);
    const { hits } = await this.mneme.recall({ text: word, limit: 1 });
    expect(hits.map(({ memory }) => memory.id)).toEqual([id]);
  }
}

/** Ids of the changes of a stream up to that of the last memory, each once. */
async function idsOf(changes: AsyncIterable<WatchEvent | Delivery>): Promise<string[]> {
  const ids = new Set<string>();
  for await (const change of changes) {
    if (!('id' in change) || change.id === '') continue;
    ids.add(change.id);
    if ('acknowledge' in change) change.acknowledge();
    if (change.id === 'last') break;
  }
  return [...ids];
}

(isThere || isExpected ? describe : describe.skip)('servers of a former version over PostgreSQL', () => {
  it('are replaced one by one under load › no call fails, streams miss nothing', async () => {
    const program = await formerVersion(FORMER, join(folder, 'former'));
    const addresses = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    for (const listen of addresses) await start(listen, program);
    const schema = await migration();
    expect(schema).toBeLessThan(MIGRATIONS.length);

    mneme = connect(`ipv4:${addresses.join(',')}`, { ...PATIENT, namespace: 'rolling' });
    await mneme.namespaces.create('rolling');
    await mneme.subscriptions.create(SUBSCRIPTION);
    const watched = idsOf(mneme.watch({ startRevision: 1 }));
    const delivered = idsOf(mneme.subscriptions.consume(SUBSCRIPTION, 'one'));
    const load = new Load(mneme);
    await load.during();
    for (const listen of addresses) {
      await load.during(async () => {
        await servers.get(listen)?.stop('SIGTERM');
        await start(listen);
      });
      // After the first one: the former version works on tables of the present one.
      expect(await migration()).toBe(MIGRATIONS.length);
      await load.during();
    }

    await mneme.store({ id: 'last', text: 'last' });
    const order = await watched;
    expect(await delivered).toEqual(order);
    expect(new Set(order)).toEqual(new Set([...load.stored.keys(), 'last']));
    for (const address of addresses) {
      const direct = connect(address, { ...PATIENT, namespace: 'rolling' });
      const texts = new Map<string, string>();
      for await (const { id, text } of direct.exportMemories()) texts.set(id, text);
      await direct.close();
      expect(texts).toEqual(new Map([...load.stored, ['last', 'last']]));
    }
  }, 300_000);
});
