import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { refusal } from '../server/grpc/support/ask.ts';
import { freshNamespace, store } from '../server/grpc/support/memories.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { opened, Replica, whenAvailable } from './replicas.ts';

let folder: string;
let primary: PostgresServer;
let standby: PostgresServer;
const replicas: Replica[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-failover-'));
  // What is acknowledged is at the standby too.
  const parameters = { fsync: 'off', synchronous_standby_names: '*' };
  primary = await PostgresServer.started({ version: 18, parameters });
  standby = primary.standby();
  await standby.start({ fsync: 'off' });
}, 120_000);
afterAll(async () => {
  for (const replica of replicas) await replica.stop();
  for (const server of [primary, standby]) {
    await server.stop('immediate');
    server.remove();
  }
  await rm(folder, { recursive: true });
});

/** The address of whichever is the primary, as a name of a service would be. */
const address = (): string => join(folder, 'address');

async function moveTo({ folder: to }: PostgresServer): Promise<void> {
  await rm(address(), { force: true });
  await symlink(to, address());
}

it('the primary is lost, its address moves to a standby, which is promoted › every acknowledged write is there, and a watch goes on by its token', async () => {
  await moveTo(primary);
  const url = `postgresql://${primary.user}@/postgres?host=${encodeURIComponent(address())}`;
  const start = async () => {
    const replica = await Replica.startWith({ MNEME_POSTGRES_URL: url, MNEME_POSTGRES_CONNECT_TIMEOUT_MS: '1000' });
    replicas.push(replica);
    return replica;
  };
  const [one, two] = [await start(), await start()];
  const parent = freshNamespace();
  await one.store(parent, { text: 'first' }, 'first');
  const watch = await one.watch({ parent }).live();
  const resumeToken = watch.token();
  watch.cancel();
  const ids = Array.from({ length: 30 }, (_, at) => `n${at}`);
  await Promise.all(ids.map((id, at) => (at % 2 === 0 ? one : two).store(parent, { text: id }, id)));

  await primary.kill();
  const away = await refusal(store(one.clients, parent, { text: 'lost' }, 'lost'));
  expect([away.code, away.reason]).toEqual(['UNAVAILABLE', 'STORAGE_UNAVAILABLE']);

  await moveTo(standby);
  const expected = ['first', ...ids].sort();
  for (const replica of [one, two]) {
    const texts = await whenAvailable(() => replica.texts(parent));
    expect(texts.filter((text) => text !== 'lost')).toEqual(expected);
  }
  const readOnly = await refusal(store(two.clients, parent, { text: 'too early' }, 'early'));
  expect([readOnly.code, readOnly.metadata['fault']]).toEqual(['UNAVAILABLE', 'read_only']);

  standby.promote();
  for (const [at, replica] of [one, two].entries()) await replica.store(parent, { text: `after ${at}` }, `after-${at}`);
  const resumed = await opened(two, { parent, resumeToken });
  await resumed.has('after 1');
  resumed.cancel();
  const seen = resumed.texts();
  expect([seen.length, new Set(seen).size]).toEqual([seen.length, seen.length]);
  expect(seen.filter((text) => text !== 'lost').sort()).toEqual(['after 0', 'after 1', ...ids].sort());
  for (const replica of [one, two]) {
    const texts = await replica.texts(parent);
    expect(texts.filter((text) => text !== 'lost')).toEqual(['after 0', 'after 1', ...expected].sort());
  }
}, 120_000);
