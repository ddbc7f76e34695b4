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
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
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
    expect((await collect(wm.listKeys('*i*'))).map(({ key }) => key)).toEqual(['image', 'nothing']);
    expect(await wm.has('plan')).toBe(true);
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
    expect(await wm.getTaskState()).toBeUndefined();
    await wm.setTaskState({ taskId: 't', description: 'write it', totalSteps: 3 });
    await wm.updateTaskProgress({ progressPercent: 130, status: 'in_progress' });
    expect(await wm.getTaskState()).toMatchObject({ progressPercent: 100, status: 'in_progress', totalSteps: 3 });
    expect(await wm.appendScratchpad(['one', 'two'])).toEqual({ firstSequence: 1, droppedCount: 0 });
    await wm.appendScratchpad('three');
    expect((await collect(wm.listScratchpad({ order: 'newest' }))).map(({ content }) => content.text())).toEqual([
      'three',
      'two',
      'one',
    ]);
    expect(await wm.getStatistics()).toMatchObject({ noteCount: 3, hasTaskState: true });
  });

  it('checkpoints › bring a session back, branch it and compare it', async () => {
    const wm = fresh();
    await wm.set('a', 1);
    await wm.createCheckpoint({ checkpointId: 'before', description: 'a good start' });
    await wm.set('a', 2);
    expect((await wm.diffCheckpoints('before')).keys).toMatchObject([{ key: 'a', difference: 'changed' }]);
    await wm.forkCheckpoint('before', `${wm.session}-fork`);
    expect(await failure(wm.forkCheckpoint('before', `${wm.session}-fork`))).toBeInstanceOf(AlreadyExistsError);
    expect(await wm.restoreCheckpoint('before')).toMatchObject({ restoredCount: 1 });
    expect((await wm.get('a'))?.value.json()).toBe(1);
    expect((await collect(wm.getAll({ checkpointId: 'before' }))).map(({ key }) => key)).toEqual(['a']);
    expect((await collect(wm.listCheckpoints())).map(({ id }) => id)).toEqual(['before']);
    await wm.deleteCheckpoint('before');
    expect(await failure(wm.restoreCheckpoint('before'))).toBeInstanceOf(NotFoundError);
  });

  it('watch › yields changes from a revision on, with values, filtered by key', async () => {
    const wm = fresh();
    await wm.set('user:1', 'x');
    const { revision } = await wm.getStatistics();
    const events = wm.watch({ afterRevision: revision, pattern: 'user:*', includeValues: true });
    const first = take(events, 3);
    await wm.set('other', 1);
    await wm.set('user:2', 'y');
    await wm.delete('user:2');
    await wm.appendScratchpad('n');
    const [set, deleted, noted] = await first;
    // A value deleted before it is sent is omitted.
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
