import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataLossError, type Mneme, where } from '../../../../clients/typescript/src/index.ts';
import { WatchMemoriesRequest, type WatchMemoriesResponse } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { type Damageable, SPACE, startDamageable } from '../support/damageable.ts';
import { FollowedStream } from '../support/followed-stream.ts';

const TEXT =
  'The garden had never been as green. Nobody knew why the rain had stayed away for so many weeks that year.';

describe('one of three memories is damaged in the data folder', () => {
  const tier = 'long_term';
  let damageable: Damageable;
  let mneme: Mneme;
  beforeEach(async () => {
    damageable = await startDamageable();
    mneme = damageable.mneme;
    const settings = { 'intermediate.abstract_bytes': 40, 'long_term.abstract_bytes': 40 };
    await mneme.namespaces.create(SPACE, { settings });
    const ids = ['a', 'b', 'c'];
    await mneme.batchStore(ids.map((id) => ({ id, text: TEXT, content: { of: id }, scope: { agent: id } })));
    await mneme.demote(ids, { toTier: tier });
    damageable.damage('b', 'packed');
  });
  afterEach(() => damageable.stop());

  it('Get › DATA_LOSS with reason and name; of its metadata OK', async () => {
    await expect(mneme.get('b')).rejects.toMatchObject({
      name: 'DataLossError',
      reason: 'CHECKSUM_MISMATCH',
      metadata: { name: `namespaces/${SPACE}/memories/b` },
    });
    expect((await mneme.get('b', { view: 'metadata' })).tier).toBe(tier);
    expect((await mneme.get('a')).text).toBe(TEXT);
  });

  it('BatchGet, Recall › name it, and give the rest', async () => {
    const got = await mneme.batchGet(['a', 'b', 'c', 'x']);
    expect([got.memories.map(({ id }) => id), got.damagedIds, got.missingIds]).toEqual([['a', 'c'], ['b'], ['x']]);
    for (const query of [
      { text: 'rain' },
      { text: 'rain', filter: where.text.contains('rain') },
      { filter: where.agent.isIn(['a', 'b', 'c']) },
    ]) {
      const { hits, damagedIds } = await mneme.recall({ ...query, minRelevance: 0 });
      const others = hits.map(({ memory }) => memory.id).sort();
      expect([others, damagedIds.filter((id) => id !== 'b')]).toEqual([['a', 'c'], []]);
    }
    expect((await mneme.recall({ text: 'rain', minRelevance: 0 })).damagedIds).toEqual(['b']);
    const { hits, damagedIds } = await mneme.recall({ text: 'rain', view: 'metadata', minRelevance: 0 });
    expect([hits.map(({ memory }) => memory.id).sort(), damagedIds]).toEqual([['a', 'b', 'c'], []]);
  });

  it('List, Export › name it, and give the rest', async () => {
    const listed = await mneme.listPage({ order: 'create_time_asc' });
    const rest = [['a', 'c'], ['b']];
    expect([listed.memories.map(({ id }) => id), listed.damagedIds]).toEqual(rest);
    expect((await mneme.listPage({ filter: where.agent.equals('a') })).damagedIds).toEqual([]);
    expect((await mneme.listPage({ view: 'metadata', filter: where.agent.equals('b') })).memories).toHaveLength(1);
    const damaged: string[] = [];
    const exported: string[] = [];
    for await (const { id } of mneme.exportMemories({ onDamaged: (ids) => damaged.push(...ids) })) exported.push(id);
    expect([exported, damaged]).toEqual(rest);
    const seen: string[] = [];
    const listing = async () => {
      for await (const { id } of mneme.list({ order: 'create_time_asc' })) seen.push(id);
    };
    await expect(listing()).rejects.toThrow(DataLossError);
    expect(seen).toEqual(['a', 'c']);
  });

  it('Demote, Promote › leave it where it is, named; Delete erases it', async () => {
    const moved = await mneme.promote(['a', 'b'], { toTier: 'short_term' });
    expect([moved.moves.map(({ id }) => id), moved.damagedIds]).toEqual([['a'], ['b']]);
    await mneme.delete('b');
    expect((await mneme.batchGet(['a', 'b', 'c'])).missingIds).toEqual(['b']);
  });

  it('ClearTier › erases it with the rest', async () => {
    expect((await mneme.clearTier(tier, { all: true })).clearedCount).toBe(3);
    expect((await mneme.listPage()).memories).toEqual([]);
  });

  it('Watch from the beginning › continues past it, and reports it without its bytes', async () => {
    const request = WatchMemoriesRequest.fromPartial({ parent: `namespaces/${SPACE}`, startRevision: 1n });
    const stream = new FollowedStream<WatchMemoriesResponse>(damageable.server.recalls.watchMemories(request));
    const { revision } = await mneme.store({ id: 'last', text: 'the last one' });
    const received = () =>
      stream.messages.flatMap(({ event }) => (event?.$case === 'batch' ? event.value.changes : []));
    await stream.until(({ event }) => event !== undefined && received().some(({ name }) => name.endsWith('/last')));
    stream.cancel();
    const textOf = (id: string) => received().find(({ name }) => name.endsWith(`/${id}`))?.memory?.text;
    expect([textOf('a'), textOf('c'), textOf('last')]).toEqual([TEXT, TEXT, 'the last one']);
    expect(textOf('b')).toBeUndefined();
    expect(revision).toBeGreaterThan(0);
  });

  it('imported again from a copy with replace › is whole again', async () => {
    const copy = { id: 'b', text: TEXT, content: { of: 'b' }, scope: { agent: 'b' } };
    await mneme.importMemories([copy], { conflictPolicy: 'replace' });
    expect((await mneme.get('b')).text).toBe(TEXT);
  });
});
