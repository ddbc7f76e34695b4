import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ClearTierRequest, MaintainTiersRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { ChangeKind } from '../../../../gen/ts/mneme/v1/change.ts';
import { Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import { DemoteMemoriesRequest, ListMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { WatchMemoriesRequest, type WatchMemoriesResponse } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { freshNamespace, get, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const { TIER_SHORT_TERM, TIER_INTERMEDIATE, TIER_LONG_TERM } = Tier;
type Asked = Parameters<typeof ClearTierRequest.fromPartial>[0];

describe('clearing a tier', () => {
  let mneme: TestServer;
  beforeAll(async () => {
    mneme = await startTestServer({ embedder: 'none', maintenanceIntervalMs: '86400000' });
  });
  afterAll(async () => {
    await mneme.stop();
  });

  const clear = (asked: Asked) => ask(mneme.admin, mneme.admin.clearTier, ClearTierRequest.fromPartial(asked));
  async function idsIn(parent: string): Promise<string[]> {
    const { memories } = await ask(
      mneme.memories,
      mneme.memories.listMemories,
      ListMemoriesRequest.fromPartial({ parent }),
    );
    return memories.map(({ name }) => name.split('/').at(-1) ?? '').sort();
  }
  /** `a` and `b` short-term, `c` intermediate, `d` long-term; `b` and `d` are of ada. */
  async function space(): Promise<string> {
    const parent = freshNamespace();
    for (const id of ['a', 'b', 'c', 'd']) {
      await store(mneme, parent, { text: `memory ${id}`, scope: { agent: 'bd'.includes(id) ? 'ada' : '' } }, id);
    }
    for (const [id, to] of [['c', TIER_INTERMEDIATE] as const, ['d', TIER_LONG_TERM] as const]) {
      const request = DemoteMemoriesRequest.fromPartial({ parent, names: [`${parent}/memories/${id}`], toTier: to });
      await ask(mneme.memories, mneme.memories.demoteMemories, request);
    }
    return parent;
  }

  it('ClearTier: dry run › reports number and names, and deletes nothing', async () => {
    const parent = await space();
    const answer = await clear({ parent, tier: TIER_SHORT_TERM, all: true, dryRun: true });
    expect(answer.clearedCount).toBe(2);
    expect([...answer.names].sort()).toEqual([`${parent}/memories/a`, `${parent}/memories/b`]);
    expect(await idsIn(parent)).toEqual(['a', 'b', 'c', 'd']);
  });

  it.each([
    [TIER_SHORT_TERM, ['c', 'd']],
    [TIER_INTERMEDIATE, ['a', 'b', 'd']],
    [TIER_LONG_TERM, ['a', 'b', 'c']],
  ])('ClearTier: all of tier %s › the other tiers stay', async (tier, left) => {
    const parent = await space();
    expect((await clear({ parent, tier, all: true })).clearedCount).toBe(4 - left.length);
    expect(await idsIn(parent)).toEqual(left);
  });

  it('ClearTier: of a scope › memories of others stay; a repeated request id has one effect', async () => {
    const parent = await space();
    const asked = { parent, tier: TIER_SHORT_TERM, scope: { agent: 'ada' }, requestId: 'once' };
    const first = await clear(asked);
    expect([first.clearedCount, await idsIn(parent)]).toEqual([1, ['a', 'c', 'd']]);
    await store(mneme, parent, { text: 'later', scope: { agent: 'ada' } }, 'e');
    expect(await clear(asked)).toEqual(first);
    expect(await idsIn(parent)).toEqual(['a', 'c', 'd', 'e']);
  });

  it('ClearTier: with a watch › each deletion is reported', async () => {
    const parent = await space();
    const stream = new FollowedStream<WatchMemoriesResponse>(
      mneme.recalls.watchMemories(WatchMemoriesRequest.fromPartial({ parent })),
    );
    await stream.until(({ event }) => event?.$case === 'created');
    await clear({ parent, tier: TIER_SHORT_TERM, all: true });
    const received = () =>
      stream.messages
        .flatMap(({ event }) => (event?.$case === 'batch' ? event.value.changes : []))
        .filter(({ kind }) => kind === ChangeKind.CHANGE_KIND_DELETED)
        .map(({ name }) => name.split('/').at(-1));
    await stream.until(() => received().length === 2);
    expect(received().sort()).toEqual(['a', 'b']);
    stream.cancel();
  });

  it.each([
    ['no namespace', { parent: '', all: true }, 'parent'],
    ['no tier', { tier: Tier.TIER_UNSPECIFIED, all: true }, 'tier'],
    ['a tier that is none', { tier: 9 as Tier, all: true }, 'tier'],
    ['neither scope nor all', {}, 'scope'],
    ['a scope that says nothing', { scope: {} }, 'scope'],
    ['scope and all', { scope: { agent: 'ada' }, all: true }, 'scope'],
  ])('ClearTier: %s › refused, and nothing is deleted', async (_, asked, field) => {
    const parent = await space();
    const refused = await refusal(clear({ parent, tier: TIER_SHORT_TERM, ...asked }));
    expect([refused.reason, refused.fields]).toEqual(['FIELD_INVALID', [field]]);
    expect(await idsIn(parent)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('ClearTier: namespace not there › NOT_FOUND', async () => {
    const refused = await refusal(clear({ parent: 'namespaces/nowhere', tier: TIER_SHORT_TERM, all: true }));
    expect(refused).toMatchObject({ code: 'NOT_FOUND', reason: 'NAMESPACE_NOT_FOUND' });
  });

  it('Maintain with flush › all memories are in long-term memory, and none is lost', async () => {
    const parent = await space();
    const names = ['a', 'b', 'c', 'd'].map((id) => `${parent}/memories/${id}`);
    const before = await Promise.all(names.map((name) => get(mneme, name)));
    const stream = mneme.admin.maintainTiers(MaintainTiersRequest.fromPartial({ parent, flush: true }));
    for await (const answer of stream) expect(answer).toMatchObject({ damaged: [] });
    const after = await Promise.all(names.map((name) => get(mneme, name)));
    expect(after).toEqual(before.map((memory) => ({ ...memory, tier: TIER_LONG_TERM })));
  });
});
