import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AbortedError,
  AlreadyExistsError,
  Content,
  NotFoundError,
  OutOfRangeError,
  type SessionEvent,
  type WorkingMemory,
} from '../../clients/typescript/src/index.ts';
import { startTestServer, type TestServer } from '../grpc/support/test-server.ts';
import { cleanUp, client } from './support/clean-up.ts';
import { collect } from './support/collect.ts';

let server: TestServer;
let sessions = 0;
beforeAll(async () => {
  server = await startTestServer({ maxSessionChanges: '20' });
});
afterAll(() => server.stop());
afterEach(cleanUp);

/** Working memory of a session that no other test uses. */
function fresh(): WorkingMemory {
  sessions += 1;
  return client(server.address, { namespace: 'wm' }).session(`run-${sessions}`);
}

const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error);

/** The next events of a watch. */
async function take(events: AsyncGenerator<SessionEvent, void, undefined>, count: number): Promise<SessionEvent[]> {
  const taken: SessionEvent[] = [];
  while (taken.length < count) {
    const next = await events.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}

describe('client › working memory', () => {
  it('values of any kind › come back as they were set, null too', async () => {
    const wm = fresh();
    await wm.set('plan', { steps: ['a', 'b'] });
    await wm.set('nothing', null);
    await wm.set('image', new Content('image/png', Uint8Array.of(0, 255)));
    expect((await wm.get('plan'))?.value.json()).toEqual({ steps: ['a', 'b'] });
    expect((await wm.get('nothing'))?.value.json()).toBeNull();
    expect(await wm.get('missing')).toBeUndefined();
    expect((await wm.get('image'))?.value).toMatchObject({ mediaType: 'image/png' });
    expect((await collect(wm.keys('*i*'))).map(({ key }) => key)).toEqual(['image', 'nothing']);
    expect(await wm.exists('plan')).toBe(true);
    expect(await wm.delete('plan')).toBe(true);
    expect(await wm.delete('plan')).toBe(false);
  });

  it('changes on condition › let one of two writers through', async () => {
    const wm = fresh();
    const { version } = await wm.set('a', 1, { ifVersion: 0, expiry: { ttlMs: 60_000 } });
    await wm.transact([
      { set: 'b', value: 2 },
      { touch: 'a', expiry: 'never', ifVersion: version },
    ]);
    expect(await failure(wm.set('a', 3, { ifVersion: version }))).toBeInstanceOf(AbortedError);
    expect((await wm.get('a'))?.expireTime).toBeUndefined();
  });

  it('task state and scratchpad › are read as they were written', async () => {
    const wm = fresh();
    expect(await wm.getTask()).toBeUndefined();
    await wm.setTask({ taskId: 't', description: 'write it', totalSteps: 3 });
    await wm.updateTask({ progressPercent: 130, status: 'in_progress' });
    expect(await wm.getTask()).toMatchObject({ progressPercent: 100, status: 'in_progress', totalSteps: 3 });
    expect(await wm.append(['one', 'two'])).toEqual({ firstSequence: 1, droppedCount: 0 });
    await wm.append('three');
    expect((await collect(wm.notes({ order: 'newest' }))).map(({ content }) => content.text())).toEqual([
      'three',
      'two',
      'one',
    ]);
    expect(await wm.stats()).toMatchObject({ noteCount: 3, hasTaskState: true });
  });

  it('checkpoints › bring a session back, branch it and compare it', async () => {
    const wm = fresh();
    await wm.set('a', 1);
    await wm.checkpoint({ id: 'before', description: 'a good start' });
    await wm.set('a', 2);
    expect((await wm.diff('before')).keys).toMatchObject([{ key: 'a', difference: 'changed' }]);
    await wm.fork('before', `${wm.session}-fork`);
    expect(await failure(wm.fork('before', `${wm.session}-fork`))).toBeInstanceOf(AlreadyExistsError);
    expect(await wm.restore('before')).toMatchObject({ restoredCount: 1 });
    expect((await wm.get('a'))?.value.json()).toBe(1);
    expect((await collect(wm.entries({ checkpoint: 'before' }))).map(({ key }) => key)).toEqual(['a']);
    expect((await collect(wm.checkpoints())).map(({ id }) => id)).toEqual(['before']);
    await wm.deleteCheckpoint('before');
    expect(await failure(wm.restore('before'))).toBeInstanceOf(NotFoundError);
  });

  it('watch › tells what happens from a revision on, with values, filtered by key', async () => {
    const wm = fresh();
    await wm.set('user:1', 'x');
    const { revision } = await wm.stats();
    const events = wm.watch({ afterRevision: revision, pattern: 'user:*', values: true });
    const first = take(events, 3);
    await wm.set('other', 1);
    await wm.set('user:2', 'y');
    await wm.delete('user:2');
    await wm.append('n');
    const [set, deleted, noted] = await first;
    // A value that is gone by the time it is sent is left out.
    expect([set?.kind, set?.key]).toEqual(['set', 'user:2']);
    expect([deleted?.kind, noted?.kind]).toEqual(['deleted', 'scratchpad_appended']);
    const next = take(events, 1);
    await wm.set('user:3', 'z');
    expect((await next)[0]?.entry?.value.json()).toBe('z');
    await events.return();
  });

  it('watch from a revision that is no longer kept › fails with OutOfRangeError', async () => {
    const wm = fresh();
    for (let at = 0; at < 30; at++) await wm.set('a', at);
    expect(await failure(take(wm.watch({ afterRevision: 1 }), 1))).toBeInstanceOf(OutOfRangeError);
    expect(await failure(take(wm.watch({ afterRevision: 1000 }), 1))).toBeInstanceOf(OutOfRangeError);
  });
});
