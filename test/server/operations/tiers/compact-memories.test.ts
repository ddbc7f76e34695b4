import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../../../src/memory/checksum.ts';
import { compactMemories } from '../../../../src/server/operations/tiers/move-memories.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { type Opened, openDeps } from '../support.ts';

let opened: Opened;
beforeEach(async () => {
  opened = await openDeps();
});
afterEach(() => opened.close());

const json = (text: string) => ({ mediaType: 'application/json', data: Buffer.from(text) });
const SPACE = 'n';
const NOBODY = { project: '', agentType: '', agent: '', session: '' };

async function put(id: string, text: string, textDerived = true, agent = '') {
  const derived = textDerived ? text.replaceAll(/[{}":,]+/g, ' ').trim() : 'said by hand';
  await opened.store.write({
    kind: 'store',
    namespace: SPACE,
    memories: [newMemory({ id, content: json(text), text: derived, textDerived, scope: { ...NOBODY, agent } })],
    createNamespace: true,
    onConflict: 'fail',
    atUs: opened.clock.us,
  });
}
async function read(id: string) {
  const [memory] = await opened.store.get({ namespace: SPACE, ids: [id], view: 'full', nowUs: opened.clock.us });
  if (!memory) throw new Error(`${id} is not there`);
  return memory;
}
const compact = (ids: string[], lossy: { dropKeys: string[]; decimals?: number }) =>
  compactMemories(opened.deps, SPACE, ids, lossy);

describe('compactMemories', () => {
  it('droppable keys and decimals › removed, recorded, with a checksum of the remainder', async () => {
    await put('a', '{"x":1.23456,"trace":"long story"}');
    const before = await read('a');

    expect(await compact(['a'], { dropKeys: ['trace'], decimals: 2 })).toEqual({ ids: ['a'], damagedIds: [] });
    const after = await read('a');
    expect(Buffer.from(after.content?.data ?? []).toString()).toBe('{"x":1.23}');
    expect(after.text).toBe('x 1.23');
    expect(after.checksum).toBe(checksumOf(after.text, after.content));
    expect(after.compaction).toEqual({
      checksum: before.checksum,
      contentBytes: 34,
      droppedKeys: ['trace'],
      decimals: 2,
    });
    const states = await opened.store.revisions({ namespace: SPACE, id: 'a', limit: 9, nowUs: opened.clock.us });
    expect(states).toHaveLength(1);
  });

  it('a text of the caller’s own › stays', async () => {
    await put('a', '{"trace":1,"y":2}', false);
    await compact(['a'], { dropKeys: ['trace'] });

    expect((await read('a')).text).toBe('said by hand');
  });

  it('twice, and more in a lower tier › one record of the original memory', async () => {
    await put('a', '{"x":1.23456,"trace":1,"debug":2}');
    const { checksum } = await read('a');
    await compact(['a'], { dropKeys: ['trace'], decimals: 3 });
    const { revision } = await read('a');
    await compact(['a'], { dropKeys: ['trace'], decimals: 3 });
    expect((await read('a')).revision).toBe(revision);
    await compact(['a'], { dropKeys: ['trace', 'debug'] });

    const { compaction } = await read('a');
    expect(compaction).toEqual({ checksum, contentBytes: 33, droppedKeys: ['debug', 'trace'], decimals: 3 });
  });

  it('nothing to drop, or missing › unchanged', async () => {
    await put('a', '{"x":1}');
    const before = await read('a');

    await compact(['a', 'gone'], { dropKeys: ['trace'], decimals: 1 });
    expect(await read('a')).toEqual(before);
  });

  it('one of a scope that is read-only › left as it is, may be moved; the others are compacted', async () => {
    for (const id of ['a', 'b']) await put(id, '{"x":1,"trace":2}', true, id);
    const policy = { scope: { ...NOBODY, agent: 'a' }, isReadOnly: true, isPrivate: false, isIsolated: false };
    await opened.store.policies.set({ namespace: SPACE, policy, atUs: opened.clock.us });
    const before = await read('a');

    expect(await compact(['a', 'b'], { dropKeys: ['trace'] })).toEqual({ ids: ['a', 'b'], damagedIds: [] });
    expect(await read('a')).toEqual(before);
    expect((await read('b')).compaction).toBeDefined();
  });
});
