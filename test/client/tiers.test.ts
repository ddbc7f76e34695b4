import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, InvalidArgumentError, type Mneme, NotFoundError } from '../../clients/typescript/src/index.ts';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { PATIENT } from './support/clean-up.ts';

let server: TestServer;
let mneme: Mneme;
let spaces = 0;
beforeAll(async () => {
  server = await startTestServer({ maintenanceIntervalMs: '86400000' });
  mneme = connect(server.address, PATIENT);
});
afterAll(async () => {
  void mneme.close();
  await server.stop();
});

async function space(...ids: string[]): Promise<Mneme> {
  const own = mneme.withNamespace(`tiers-${++spaces}`);
  await own.batchStore(ids.map((id) => ({ id, text: `memory ${id}` })));
  return own;
}

describe('tiers', () => {
  it('demote and promote › move memories and report both tiers', async () => {
    const own = await space('a', 'b');
    const down = await own.demote(['a', 'b'], { toTier: 'long_term' });
    expect(down.moves).toEqual(
      ['a', 'b'].map((id) => ({ id, fromTier: 'short_term', toTier: 'long_term', reason: 'requested', score: 0 })),
    );
    const up = await own.promote(['b']);
    expect(up.moves).toMatchObject([{ id: 'b', fromTier: 'long_term', toTier: 'intermediate' }]);
    expect([(await own.get('a')).tier, (await own.get('b')).tier]).toEqual(['long_term', 'intermediate']);
    await expect(own.demote(['none'])).rejects.toThrow(NotFoundError);
    await expect(own.demote(['a'], { toTier: 'short_term' })).rejects.toThrow(InvalidArgumentError);
    const named = 'must be one of short_term, intermediate, long_term, got "mid"';
    await expect(own.demote(['a'], { toTier: 'mid' as never })).rejects.toThrow(named);
    await expect(own.recall({ text: 'memory', tiers: ['mid' as never] })).rejects.toThrow(named);
  });

  it('clearTier › deletes the memories of the tier, and counts them; a dry run deletes nothing', async () => {
    const own = await space('a', 'b', 'c');
    await own.demote(['c']);
    expect(await own.clearTier('short_term', { all: true, dryRun: true })).toMatchObject({ clearedCount: 2 });
    expect(await own.clearTier('short_term', { all: true })).toMatchObject({ clearedCount: 2, ids: ['a', 'b'] });
    expect(await own.clearTier('intermediate', { scope: { agent: 'nobody' } })).toMatchObject({
      clearedCount: 0,
      ids: [],
    });
    expect((await own.get('c')).tier).toBe('intermediate');
    await expect(own.clearTier('intermediate', { scope: {} })).rejects.toThrow(InvalidArgumentError);
  });

  it('maintain › reports each batch; a dry run moves nothing', async () => {
    const own = await space('a', 'b', 'c');
    await own.namespaces.update(own.namespace, { settings: { 'short_term.memory_limit': 1 } }, { allowDemotion: true });
    const run = async (dryRun: boolean) => {
      const moves = [];
      for await (const step of own.admin.maintainTiers({ namespace: own.namespace, dryRun })) {
        expect([step.namespace, step.damagedIds]).toEqual([own.namespace, []]);
        moves.push(...step.moves);
      }
      return moves;
    };
    const planned = await run(true);
    expect((await own.get('a')).tier).toBe('short_term');
    const moved = await run(false);
    expect(moved.map(({ id }) => id)).toEqual(planned.map(({ id }) => id));
    expect(moved).toMatchObject([{ fromTier: 'short_term', toTier: 'intermediate', reason: 'memory_limit' }, {}]);
  });

  it('recall and get with focus › move qualifying memories up', async () => {
    const own = await space('a');
    await own.demote(['a'], { toTier: 'long_term' });
    await own.get('a', { focus: true });
    const { hits, promotedIds } = await own.recall({
      text: 'memory',
      focus: true,
      tiers: ['long_term'],
      minRelevance: 0,
    });
    expect([hits[0]?.memory.tier, promotedIds]).toEqual(['intermediate', ['a']]);
    expect((await own.recall({ text: 'memory', tiers: ['long_term'], minRelevance: 0 })).hits).toEqual([]);
  });

  it('config › is set atomically, and reset', async () => {
    expect(await mneme.admin.updateConfig({ 'short_term.ttl': '2h', 'short_term.memory_limit': 7 })).toEqual({
      'short_term.ttl': '2h',
      'short_term.memory_limit': '7',
    });
    await expect(mneme.admin.updateConfig({ 'short_term.ttl': '1h', nonsense: 1 })).rejects.toThrow(
      InvalidArgumentError,
    );
    expect((await mneme.admin.getConfig())['short_term.ttl']).toBe('2h');
    expect(await mneme.admin.updateConfig({ 'short_term.ttl': null, 'short_term.memory_limit': null })).toEqual({});
  });
});

describe('recallStream', () => {
  it('a query › yields the hits of each tier, and finally the answer of recall', async () => {
    const own = await space('a', 'b', 'c');
    await own.demote(['b'], { toTier: 'intermediate' });
    await own.demote(['c'], { toTier: 'long_term' });
    const seen = new Map<string, readonly string[]>();
    let ids: readonly string[] = [];
    for await (const event of own.recallStream({ text: 'memory', minRelevance: 0 })) {
      if (event.kind === 'hits')
        seen.set(
          event.tier,
          event.hits.map(({ memory }) => memory.id),
        );
      if (event.kind === 'merged') ids = event.answer.hits.map(({ memory }) => memory.id);
    }
    expect(seen).toEqual(
      new Map([
        ['short_term', ['a']],
        ['intermediate', ['b']],
        ['long_term', ['c']],
      ]),
    );
    expect(ids).toEqual((await own.recall({ text: 'memory', minRelevance: 0 })).hits.map(({ memory }) => memory.id));
  });

  it('leaving early, or an empty query › the stream ends, or fails with its error', async () => {
    const own = await space('a');
    for await (const event of own.recallStream({ text: 'memory' })) {
      expect(event.kind).toBe('hits');
      break;
    }
    await expect(own.recallStream({}).next()).rejects.toThrow(InvalidArgumentError);
  });
});
