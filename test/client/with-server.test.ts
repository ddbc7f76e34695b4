import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AbortedError,
  AlreadyExistsError,
  FailedPreconditionError,
  InvalidArgumentError,
  type Mneme,
  NotFoundError,
  path,
  where,
} from '../../clients/typescript/src/index.ts';
import { type RunningMneme, startMneme } from '../cli/support/start-mneme.ts';
import { freePort } from '../support/free-port.ts';
import { cleanUp, client, onCleanUp } from './support/clean-up.ts';
import { collect } from './support/collect.ts';

let server: RunningMneme;
let namespaces = 0;
beforeAll(async () => {
  server = await startMneme();
});
afterAll(() => server.stop());
afterEach(cleanUp);

/** A client of a namespace that no other test uses. */
function fresh(): Mneme {
  namespaces += 1;
  return client(server.address, { namespace: `test-${namespaces}` });
}

const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error);

describe('client and server › writes', () => {
  it('a write repeated with its request id › has one effect and the same answer; another write is refused', async () => {
    const mneme = fresh();

    const first = await mneme.store({ text: 'once' }, { requestId: 'r1' });
    const again = await mneme.store({ text: 'once' }, { requestId: 'r1' });
    const other = await failure(mneme.store({ text: 'twice' }, { requestId: 'r1' }));

    expect(again).toEqual(first);
    expect(other).toBeInstanceOf(FailedPreconditionError);
    expect(other).toMatchObject({ reason: 'REQUEST_ID_REUSED', retryable: false });
    expect(await collect(mneme.list())).toHaveLength(1);
  });

  it('a batch with one bad memory › stores none and names it', async () => {
    const mneme = fresh();
    await mneme.store({ text: 'there' });

    const error = await failure(mneme.batchStore([{ text: 'fine' }, { text: 'x', type: 'no type' }]));

    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({ reason: 'FIELD_INVALID', violations: [{ field: 'requests[1].memory.type' }] });
    expect(await collect(mneme.list())).toHaveLength(1);
  });

  it('an update with an old version › is refused, and changes of one field leave the others', async () => {
    const mneme = fresh();
    const stored = await mneme.store({
      id: 'door',
      text: 'a door',
      content: { open: true },
      scope: { session: 's', agent: 'a' },
      expireTime: new Date(Date.now() + 3_600_000),
    });

    const updated = await mneme.update(
      'door',
      { scope: { session: 't' }, expireTime: null },
      { ifVersion: stored.version },
    );
    const refused = await failure(mneme.update('door', { text: 'late' }, { ifVersion: stored.version }));
    const memory = await mneme.get('door');

    expect(refused).toBeInstanceOf(AbortedError);
    expect(refused).toMatchObject({ reason: 'VERSION_MISMATCH' });
    expect(memory).toMatchObject({ text: 'a door', scope: { session: 't', agent: 'a' }, version: updated.version });
    expect(memory).not.toHaveProperty('expireTime');
    expect(memory.content?.json()).toEqual({ open: true });
  });

  it('existing or missing ids › are errors of their own classes', async () => {
    const mneme = fresh();
    await mneme.store({ id: 'm', text: 'x' });

    expect(await failure(mneme.store({ id: 'm', text: 'y' }))).toBeInstanceOf(AlreadyExistsError);
    expect(await failure(mneme.get('nothing'))).toBeInstanceOf(NotFoundError);
    expect(await failure(mneme.delete('nothing'))).toBeInstanceOf(NotFoundError);
    await expect(mneme.delete('nothing', { allowMissing: true })).resolves.toHaveProperty('revision');
  });
});

describe('client and server › reads', () => {
  it('a vector › comes back value for value, and only in the full view', async () => {
    const mneme = fresh();
    const values = new Float32Array([0.1, -2.5, 3e-38, 1e38]);
    await mneme.store({ id: 'v', embedding: { model: 'm', values } });

    expect((await mneme.get('v')).embedding).toBeUndefined();
    expect((await mneme.get('v', { view: 'full' })).embedding).toEqual({ model: 'm', values });
    expect((await mneme.recall({ embedding: { model: 'm', values } })).hits[0]?.memory.id).toBe('v');
  });

  it('a list of many pages › has each memory once, while others are written', async () => {
    const mneme = fresh();
    const ids = Array.from({ length: 450 }, (_, n) => `m${n}`);
    await mneme.batchStore(ids.map((id) => ({ id, text: id })));

    const seen: string[] = [];
    for await (const { id } of mneme.list({ order: 'create_time_asc', pageSize: 100, view: 'metadata' })) {
      if (seen.length % 100 === 0) await mneme.store({ text: 'meanwhile' });
      if (id.startsWith('m')) seen.push(id);
    }
    const first = await mneme.listPage({ pageSize: 100, order: 'create_time_asc' });
    await mneme.store({ text: 'between pages' });
    const second = await mneme.listPage({ pageSize: 100, order: 'create_time_asc', pageToken: first.nextPageToken });

    expect(seen.filter((id) => ids.includes(id))).toEqual(ids);
    expect(second.memories.map(({ id }) => id)).toEqual(ids.slice(100, 200));
  });

  it('filters › mean the same in list, recall, forget and export', async () => {
    const mneme = fresh();
    await mneme.batchStore([
      { id: 'a', text: 'tea in the hall', content: { room: 'hall' }, tags: ['x'] },
      { id: 'b', text: 'tea in the kitchen', content: { room: 'kitchen' } },
      { id: 'c', text: 'tea', source: { speaker: 'Ann' } },
    ]);
    const filter = path('room').isIn(['hall', 'kitchen']);

    const listed = await collect(mneme.list({ filter, order: 'create_time_asc' }));
    const recalled = await mneme.recall({ text: 'tea', filter: where.speaker.equals('ann', { ignoreCase: true }) });
    const exported = await collect(mneme.exportMemories({ filter: where.tag.equals('x') }));
    const forgotten = await mneme.forget({ filter });

    expect(listed.map(({ id }) => id).sort()).toEqual(['a', 'b']);
    expect(recalled.hits.map(({ memory }) => memory.id)).toEqual(['c']);
    expect(exported.map(({ id }) => id)).toEqual(['a']);
    expect(forgotten).toMatchObject({ forgottenCount: 2, tiers: [{ tier: 'short_term', count: 2 }] });
  });

  it('namespaces › are made, counted, changed and deleted', async () => {
    const mneme = fresh();
    const made = await mneme.namespaces.create(mneme.namespace, { description: 'first' });
    await mneme.store({ text: 'x', scope: { session: 's' } });

    const changed = await mneme.namespaces.update(mneme.namespace, { memoryLimit: 2 }, { ifVersion: made.version });
    const listed = await collect(mneme.namespaces.list());
    const refused = await failure(mneme.namespaces.delete(mneme.namespace));

    expect(changed).toMatchObject({ description: 'first', memoryLimit: 2 });
    expect(listed.map(({ id }) => id)).toContain(mneme.namespace);
    expect(await collect(mneme.namespaces.listScopes())).toEqual([{ scope: { session: 's' }, memoryCount: 1 }]);
    expect(await mneme.namespaces.getStatistics()).toMatchObject({ memoryCount: 1 });
    expect(refused).toMatchObject({ reason: 'NAMESPACE_NOT_EMPTY' });
    await mneme.namespaces.delete(mneme.namespace, { force: true });
    expect(await failure(mneme.namespaces.get())).toBeInstanceOf(NotFoundError);
  });
});

describe('client and server › import', () => {
  it('when the server is killed and restarted in the meantime › everything is stored once', async () => {
    const data = await mkdtemp(join(tmpdir(), 'mneme-import-'));
    onCleanUp(() => rm(data, { recursive: true, force: true }));
    const listen = `127.0.0.1:${await freePort()}`;
    let running = await startMneme({ data, listen });
    onCleanUp(() => running.stop());
    const mneme = client(running.address);
    const count = 6_000;
    const isBack = Promise.withResolvers<void>();
    let isRestarting = false;
    const restart = async () => {
      await running.stop('SIGKILL');
      running = await startMneme({ data, listen });
    };
    /** The last third is only there for the second server. */
    async function* memories() {
      for (let n = 0; n < count; n++) {
        if (n === 4_000) await isBack.promise;
        yield { text: `memory ${n}` };
      }
    }

    const imported = await mneme.importMemories(memories(), {
      onProgress: () => {
        if (isRestarting) return;
        isRestarting = true;
        restart().then(isBack.resolve, isBack.reject);
      },
    });

    expect(imported.storedCount + imported.skippedCount).toBe(count);
    const texts = (await collect(mneme.list({ pageSize: 1000 }))).map(({ text }) => text);
    expect(texts).toHaveLength(count);
    expect(new Set(texts).size).toBe(count);
  });
});
