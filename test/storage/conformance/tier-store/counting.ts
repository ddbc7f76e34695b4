import { expect, it } from '@jest/globals';
import { TIERS } from '../../../../src/memory/memory.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { seededRandom } from '../../../support/random.ts';
import { because, listRead, NOW_US, put, SPACE } from '../memory-store/store-of-test.ts';
import { move } from './moving.ts';
import type { TieredSubject } from './tiered-subject.ts';

export function counting(subject: () => TieredSubject): void {
  const store = () => subject().store;
  const totals = async () =>
    (await subject().store.totals(SPACE)).map(({ tier, agent, type, count, contentBytes }) => [
      tier,
      agent,
      type,
      count,
      contentBytes,
    ]);
  /** The same, counted memory by memory. */
  const counted = async () => {
    const { memories } = await store().list(listRead());
    const groups = Map.groupBy(memories, ({ tier, scope, type }) => [tier, scope.agent, type].join(' '));
    const rows = [...groups.values()].map((group) => {
      const bytes = group.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      return [group[0]?.tier, group[0]?.scope.agent, group[0]?.type, group.length, bytes];
    });
    return new Set(rows.map((row) => JSON.stringify(row)));
  };

  it('totals › by tier, agent and type, bytes as they were given', async () => {
    const scope = { project: '', agentType: '', agent: 'ada', session: '' };
    const text = 'long enough to be kept as an abstract, '.repeat(10);
    await put(store(), [newMemory({ id: 'a', text, scope, type: 'state' }), newMemory({ id: 'b', text: 'xyz' })]);
    await move(subject(), ['a'], 'long_term');
    expect(await totals()).toEqual([
      ['short_term', '', 'fact', 1, 3],
      ['long_term', 'ada', 'state', 1, text.length],
    ]);
    await put(store(), [newMemory({ id: 'c' })], { namespace: 'another' });
    const all = await subject().store.totals();
    expect(all.map(({ namespace, count }) => [namespace, count])).toEqual([
      ['another', 1],
      [SPACE, 1],
      [SPACE, 1],
    ]);
    expect(await subject().store.size(SPACE)).toEqual({ count: 2, contentBytes: text.length + 3 });
  });

  it('size › of a namespace without memories › 0; of a missing one › refused', async () => {
    await put(store(), [newMemory({ id: 'a' })]);
    await store().write({
      kind: 'delete',
      namespace: SPACE,
      ids: ['a'],
      cause: 'deleted',
      mustExist: true,
      atUs: NOW_US,
    });
    expect(await subject().store.size(SPACE)).toEqual({ count: 0, contentBytes: 0 });
    await expect(subject().store.size('missing')).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
  });

  it('totals › namespace deleted, or not there › nothing, refused', async () => {
    await put(store(), [newMemory({ id: 'a' })]);
    await store().write({ kind: 'deleteNamespace', name: SPACE, force: true, atUs: NOW_US });
    expect(await subject().store.totals()).toEqual([]);
    await expect(totals()).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
  });

  it('totals › after any writes › what counting every memory gives', async () => {
    const random = seededRandom('tier totals');
    const ids = Array.from({ length: 12 }, (_, at) => `m${at}`);
    const memory = (id: string) =>
      newMemory({
        id,
        text: 'word '.repeat(1 + random.int(40)),
        type: random.pick(['state', 'action']),
        scope: { project: '', agentType: '', agent: random.pick(['', 'ada', 'bob']), session: '' },
      });
    await put(store(), [memory('m0')]);
    for (let turn = 0; turn < 60; turn++) {
      const id = random.pick(ids);
      const what = random.pick(['store', 'move', 'update', 'delete']);
      if (what === 'store') await put(store(), [memory(id)], { onConflict: random.pick(['keep', 'replace']) });
      if (what === 'move') await move(subject(), [id, random.pick(ids)], random.pick(TIERS));
      if (what === 'delete') {
        await store().write({
          kind: 'delete',
          namespace: SPACE,
          ids: [id],
          cause: 'deleted',
          mustExist: false,
          atUs: NOW_US,
        });
      }
      if (what === 'update') {
        const { scope, type } = memory(id);
        const changes = { scope, type };
        const [there] = await store().get({ namespace: SPACE, ids: [id], view: 'metadata', nowUs: NOW_US });
        if (there) await store().write({ kind: 'update', namespace: SPACE, id, changes, atUs: NOW_US });
      }
      expect(new Set((await totals()).map((row) => JSON.stringify(row)))).toEqual(await counted());
      const sums = { count: 0, contentBytes: 0 };
      for (const { count, contentBytes } of await subject().store.totals(SPACE)) {
        sums.count += count;
        sums.contentBytes += contentBytes;
      }
      expect(await subject().store.size(SPACE)).toEqual(sums);
    }
  });
}
