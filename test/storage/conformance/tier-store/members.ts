import { expect, it } from '@jest/globals';
import type { MembersRead } from '../../../../src/storage/tiers.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { because, NOW_US, put, SPACE } from '../memory-store/store-of-test.ts';
import { move } from './moving.ts';
import type { TieredSubject } from './tiered-subject.ts';

const HOUR_US = 3_600_000_000;

export function members(subject: () => TieredSubject): void {
  const found = (read: Partial<MembersRead> = {}) =>
    subject().store.members({ namespace: SPACE, tier: 'short_term', limit: 100, ...read });
  const ids = async (read: Partial<MembersRead> = {}) => (await found(read)).map(({ id }) => id);
  const of = (agent: string) => ({ project: '', agentType: '', agent, session: '' });

  it('members › of a tier › longest in it first, the same order among equals, at most the limit', async () => {
    await put(subject().store, [newMemory({ id: 'c' }), newMemory({ id: 'b' })], { atUs: NOW_US - HOUR_US });
    await put(subject().store, [newMemory({ id: 'a' })], { atUs: NOW_US - 2 * HOUR_US });
    expect(await ids()).toEqual(['a', 'c', 'b']);
    expect(await ids({ limit: 2 })).toEqual(['a', 'c']);
    expect(await ids({ untilUs: NOW_US - 2 * HOUR_US })).toEqual(['a']);
    expect(await ids({ tier: 'long_term' })).toEqual([]);
    const [first, second] = await found();
    expect(first && (await ids({ after: first }))).toEqual(['c', 'b']);
    expect(second && (await ids({ after: second }))).toEqual(['b']);
  });

  it('members › of an agent or a type › only these', async () => {
    await put(subject().store, [
      newMemory({ id: 'a', scope: of('ada'), type: 'state' }),
      newMemory({ id: 'b', scope: of('bob'), type: 'state' }),
      newMemory({ id: 'c', type: 'action' }),
    ]);
    expect(await ids({ agent: 'ada' })).toEqual(['a']);
    expect(await ids({ agent: '' })).toEqual(['c']);
    expect(await ids({ type: 'state' })).toEqual(['a', 'b']);
    expect(await ids({ type: 'state', agent: 'bob' })).toEqual(['b']);
    expect(await ids({ agent: 'none' })).toEqual([]);
  });

  it('members › after a move › counted from the move on', async () => {
    await put(subject().store, [newMemory({ id: 'a' }), newMemory({ id: 'b' })], { atUs: NOW_US - HOUR_US });
    await move(subject(), ['a'], 'intermediate');
    expect(await ids()).toEqual(['b']);
    expect(await found({ tier: 'intermediate' })).toMatchObject([{ id: 'a', tierSinceUs: NOW_US }]);
  });

  it('members › recalled › counted from then on', async () => {
    await put(subject().store, [newMemory({ id: 'a' }), newMemory({ id: 'b' })], { atUs: NOW_US - HOUR_US });
    await subject().store.write({ kind: 'touch', namespace: SPACE, ids: ['a'], atUs: NOW_US });
    expect(await ids()).toEqual(['b', 'a']);
    expect(await ids({ untilUs: NOW_US - 1 })).toEqual(['b']);
  });

  it('members › have the values that decide whether they stay', async () => {
    const data = Buffer.from('{"reward":-2.5,"metadata":{"surprise":0.25}}');
    const memory = newMemory({
      id: 'a',
      text: 'hällo',
      type: 'action',
      scope: of('ada'),
      step: 7,
      importance: 0.75,
      priority: 0.5,
      retrievalCount: 3,
      lastAccessedAtUs: NOW_US - 5,
      createdAtUs: NOW_US - 9,
      content: { mediaType: 'application/json', data },
    });
    await put(subject().store, [memory, newMemory({ id: 'b' })]);
    const [a, b] = await found();
    expect(a).toEqual({
      id: 'a',
      tier: 'short_term',
      tierSinceUs: NOW_US,
      type: 'action',
      agent: 'ada',
      importance: 0.75,
      priority: 0.5,
      retrievalCount: 3,
      createdAtUs: NOW_US - 9,
      lastAccessedAtUs: NOW_US - 5,
      step: 7,
      contentBytes: 6 + data.byteLength,
      reward: -2.5,
      surprise: 0.25,
      tie: expect.any(Number),
    });
    expect(b).not.toHaveProperty('reward');
  });

  it('members › missing namespace › refused', async () => {
    await expect(found()).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
  });
}
