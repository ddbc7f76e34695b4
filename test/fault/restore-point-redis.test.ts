import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, type Memory, type Mneme } from '../../clients/typescript/src/index.ts';
import { makeBackup } from '../../src/storage/sqlite/backup/make-backup.ts';
import { type Restored, restoreBackup } from '../../src/storage/sqlite/backup/restore-backup.ts';
import type { RestorePoint } from '../../src/storage/sqlite/backup/select-backup.ts';
import { verifyFolder } from '../../src/storage/sqlite/damage/verify.ts';
import { runMneme } from '../cli/support/run-mneme.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { PATIENT } from '../client/support/clean-up.ts';
import { seededRandom, type TestRandom } from '../support/random.ts';
import { type Backend, type BackendOfServer, startBackend } from './backend-of-server.ts';
import { startServer } from './damage/server.ts';

const SPACES = ['default', 'other'];
const WRITES = 60;
const FLAGS = ['--ranker', 'fusion'];

let folder: string;
let backups: string;
const backends: BackendOfServer[] = [];
const running = new Map<string, { readonly server: RunningMneme; readonly mneme: Mneme }>();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-restore-redis-'));
  backups = join(folder, 'backups');
});
afterEach(async () => {
  for (const data of [...running.keys()]) await end(data, 'SIGKILL');
  for (const backend of backends.splice(0)) await backend.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function backendOf(kind: Backend): Promise<BackendOfServer> {
  const backend = await startBackend(kind);
  backends.push(backend);
  return backend;
}

async function start(data: string, { env }: BackendOfServer): Promise<Mneme> {
  const server = await startMneme({ data: join(folder, data), flags: FLAGS, env, isQuiet: true });
  const mneme = connect(server.address, PATIENT);
  running.set(data, { server, mneme });
  return mneme;
}

async function end(data: string, signal: NodeJS.Signals): Promise<void> {
  const one = running.get(data);
  running.delete(data);
  await one?.mneme.close();
  await one?.server.stop(signal);
}

async function backUp(data: string, flags: readonly string[] = ['--after-copies']): Promise<void> {
  const address = running.get(data)?.server.address ?? '';
  const args = ['backup', backups, '--data', join(folder, data), ...flags, '--server', address];
  expect(await runMneme(args)).toMatchObject({ code: 0 });
}

let nextTerm = 0;
function restored(point: RestorePoint): { readonly to: string; readonly done: Restored } {
  const to = join(folder, `restored-${nextTerm}`);
  const options = { repository: backups, folder: to, point, nowMs: Date.now(), term: `restored-${nextTerm++}` };
  return { to, done: restoreBackup(options) };
}

type State = Map<string, Omit<Memory, 'version'>>;

/** What a client reads of each memory, without the numbers that each write changes. */
async function stateOf(mneme: Mneme): Promise<State> {
  const state: State = new Map();
  for (const space of SPACES) {
    for await (const { version: _, tier: __, ...memory } of mneme
      .withNamespace(space)
      .list({ view: 'full', includeInvalid: true }))
      state.set(memory.name, memory as Omit<Memory, 'version'>);
  }
  return state;
}

/** Stores, replaces, updates or moves a memory; returns the revision of the answer, if there is one. */
async function write(mneme: Mneme, random: TestRandom, n: number, known: Set<string>): Promise<number | undefined> {
  const space = mneme.withNamespace(random.pick(SPACES));
  const id = `m${random.int(15)}`;
  const key = `${space.namespace}/${id}`;
  const memory = { text: `text ${n}`, content: { n }, importance: random.int(10) / 10 };
  if (!known.has(key)) {
    known.add(key);
    return (await space.store({ id, ...memory })).revision;
  }
  if (random.chance(0.3))
    return void (await space.demote([id], { toTier: random.pick(['intermediate', 'long_term']) }));
  if (random.chance(0.2) && !known.has(`${key} superseded`)) {
    known.add(`${key} superseded`);
    return (await space.supersede(id, { id: `s${n}`, ...memory })).revision;
  }
  return (await space.update(id, memory)).revision;
}

interface Moment {
  readonly points: readonly RestorePoint[];
  readonly state: State;
}

/** A time that is after the last write, and before the next one. */
async function momentAfter(mneme: Mneme, revision: number | undefined): Promise<Moment> {
  const timeMs = Date.now() + 1;
  let state = await stateOf(mneme);
  while (Date.now() <= timeMs) state = await stateOf(mneme);
  return { points: [{ timeMs }, ...(revision === undefined ? [] : [{ revision }])], state };
}

describe.each<Backend>(['Redis', 'shared Redis'])('restore › at a point, with %s', (kind) => {
  it('servers killed between writes and copies › each point gives its memories, without Redis and with an empty one', async () => {
    const random = seededRandom(`restore with ${kind}`);
    const redis = await backendOf(kind);
    const names = kind === 'Redis' ? ['data'] : ['data', 'second'];
    for (const name of names) await start(name, redis);
    const clients = () => names.map((name) => running.get(name)?.mneme).filter((one) => one !== undefined);
    const known = new Set<string>();
    for (const space of SPACES) await random.pick(clients()).withNamespace(space).store({ id: 'first', text: 'first' });
    await backUp('data');
    const moments: Moment[] = [];
    for (let n = 0; n < WRITES; n++) {
      const mneme = random.pick(clients());
      const revision = await write(mneme, random, n, known);
      if (n % 20 === 12) {
        // Its last writes may not be copied; the other server goes on.
        await end('data', 'SIGKILL');
        if (kind === 'Redis') await start('data', redis);
        else await write(random.pick(clients()), random, n, known);
        if (kind !== 'Redis') await start('data', redis);
      } else if (n % 4 === 1) moments.push(await momentAfter(mneme, revision));
      if (n === WRITES / 2) await backUp('data', []);
    }
    const last = await momentAfter(random.pick(clients()), undefined);
    await backUp('data');
    for (const name of names) await end(name, 'SIGTERM');
    await backends.shift()?.stop();

    for (const { points, state } of [...moments, last]) {
      const point = random.pick(points);
      const { to, done } = restored(point);
      expect(verifyFolder(to)).toMatchObject({ tables: [], memories: [] });
      expect(done.rewound).toMatchObject('revision' in point ? { revision: point.revision } : {});
      const other = await startServer(to);
      expect([random.seed, point, await stateOf(other.mneme)]).toEqual([random.seed, point, state]);
      await other.stop();
    }
    const { points: [point = { revision: 0 }] = [], state = new Map() as State } = moments[5] ?? {};
    restoreBackup({ repository: backups, folder: join(folder, 'data'), point, force: true, nowMs: 0, term: 'back' });
    const empty = await backendOf(kind);
    for (const first of [true, false]) {
      const mneme = await start('data', empty);
      expect([random.seed, first, await stateOf(mneme)]).toEqual([random.seed, first, state]);
      await mneme.update('first', { importance: 0.5 });
      await mneme.update('first', { importance: state.get('namespaces/default/memories/first')?.importance ?? 0 });
      state.set('namespaces/default/memories/first', await lasting(mneme, 'first'));
      await end('data', 'SIGTERM');
    }
  }, 240_000);

  it('mneme restore --at › says what was undone; a deletion after it › refused with the reason', async () => {
    const redis = await backendOf(kind);
    const mneme = await start('data', redis);
    const { revision: one } = await mneme.store({ id: 'a', text: 'a' });
    await mneme.store({ id: 'b', text: 'b' });
    await backUp('data');
    const to = join(folder, 'new');
    const done = await runMneme(['restore', backups, '--data', to, '--at', `${one}`, '--json']);
    expect([done.code, JSON.parse(done.stdout)]).toMatchObject([0, { rewound: { revision: one, erasedCount: 1 } }]);
    expect(done.stderr).toMatch(/^mneme: start the server of the folder without Redis, or with an empty one/m);
    await mneme.delete('a');
    await backUp('data', ['--after-copies', '--keep', '1']);
    const { code, stderr } = await runMneme(['restore', backups, '--data', join(folder, 'no'), '--at', `${one}`]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/such as a, were deleted later/)]);
  }, 60_000);
});

async function lasting(mneme: Mneme, id: string): Promise<Omit<Memory, 'version'>> {
  const { version: _, tier: __, ...memory } = await mneme.get(id);
  return memory as Omit<Memory, 'version'>;
}

it('a backup without --after-copies, where nothing shows that the copies were complete › refused', async () => {
  const redis = await backendOf('Redis');
  const mneme = await start('data', redis);
  await mneme.withNamespace('other').store({ id: 'a', text: 'a' });
  const { revision } = await mneme.store({ id: 'b', text: 'b' });
  await stateOf(mneme);
  await makeBackup({ folder: join(folder, 'data'), repository: backups, version: 'test', nowMs: Date.now });
  expect(() => restored({ revision })).toThrow(
    /memories of namespaces\/other in Redis from before it may have been copied after the backup; .*--after-copies/,
  );
  await backUp('data');
  const { to } = restored({ revision });
  const other = await startServer(to);
  expect([...(await stateOf(other.mneme)).keys()].sort()).toEqual([
    'namespaces/default/memories/b',
    'namespaces/other/memories/a',
  ]);
  await other.stop();
}, 60_000);
