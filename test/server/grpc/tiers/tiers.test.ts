import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  GetConfigRequest,
  MaintainTiersRequest,
  type MaintainTiersResponse,
  UpdateConfigRequest,
} from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  BatchStoreMemoriesRequest,
  DemoteMemoriesRequest,
  GetMemoryRequest,
  MoveReason,
  PromoteMemoriesRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { UpdateNamespaceRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const { TIER_SHORT_TERM, TIER_INTERMEDIATE, TIER_LONG_TERM } = Tier;

let mneme: TestServer;
let nowUs = 1_800_000_000_000_000;
beforeAll(async () => {
  mneme = await startTestServer({ maintenanceIntervalMs: '86400000' }, { clock: { nowUs: () => nowUs } });
});
afterAll(() => mneme.stop());

type Settings = Readonly<Record<string, string>>;

async function spaceWith(ids: readonly string[], settings: Settings = {}, agent = ''): Promise<string> {
  const parent = freshNamespace();
  await storeIn(parent, ids, agent);
  if (Object.keys(settings).length > 0) {
    const namespace = { name: parent, settings };
    const request = UpdateNamespaceRequest.fromPartial({ namespace, updateMask: ['settings'], allowDemotion: true });
    await ask(mneme.namespaces, mneme.namespaces.updateNamespace, request);
  }
  return parent;
}

async function storeIn(parent: string, ids: readonly string[], agent = ''): Promise<void> {
  const requests = ids.map((id) => ({ memoryId: id, memory: { text: `the memory ${id}`, scope: { agent } } }));
  await ask(
    mneme.memories,
    mneme.memories.batchStoreMemories,
    BatchStoreMemoriesRequest.fromPartial({ parent, requests }),
  );
}

async function maintain(
  request: Parameters<typeof MaintainTiersRequest.fromPartial>[0],
): Promise<MaintainTiersResponse[]> {
  const answers: MaintainTiersResponse[] = [];
  for await (const answer of mneme.admin.maintainTiers(MaintainTiersRequest.fromPartial(request))) {
    answers.push(answer as MaintainTiersResponse);
  }
  return answers;
}

const movesOf = (answers: readonly MaintainTiersResponse[]) =>
  answers.flatMap(({ moves }) => moves.map(({ name, toTier: to, reason }) => [name.split('/').at(-1), to, reason]));

async function tierOf(parent: string, id: string, options: { focus?: boolean; touch?: boolean } = {}): Promise<Tier> {
  const request = GetMemoryRequest.fromPartial({ name: `${parent}/memories/${id}`, ...options });
  const { memory } = await ask(mneme.memories, mneme.memories.getMemory, request);
  return memory?.tier ?? Tier.TIER_UNSPECIFIED;
}

const demote = (parent: string, ids: readonly string[], to: Tier = Tier.TIER_UNSPECIFIED) =>
  DemoteMemoriesRequest.fromPartial({ parent, names: ids.map((id) => `${parent}/memories/${id}`), toTier: to });

describe('Maintain', () => {
  it('when a tier is over its limit › moves the excess down, oldest members first, in the next tier too', async () => {
    const settings = { 'short_term.memory_limit': '2', 'intermediate.memory_limit': '1' };
    const parent = await spaceWith(['a'], settings);
    for (const id of ['b', 'c', 'd', 'e']) {
      nowUs += 60_000_000;
      await storeIn(parent, [id]);
    }
    nowUs += 60_000_000;
    const planned = await maintain({ parent, dryRun: true });
    expect(await tierOf(parent, 'a')).toBe(TIER_SHORT_TERM);
    const answers = await maintain({ parent });
    expect(movesOf(answers)).toEqual([
      ['a', TIER_INTERMEDIATE, MoveReason.MOVE_REASON_MEMORY_LIMIT],
      ['b', TIER_INTERMEDIATE, MoveReason.MOVE_REASON_MEMORY_LIMIT],
      ['c', TIER_INTERMEDIATE, MoveReason.MOVE_REASON_MEMORY_LIMIT],
      ['a', TIER_LONG_TERM, MoveReason.MOVE_REASON_MEMORY_LIMIT],
      ['b', TIER_LONG_TERM, MoveReason.MOVE_REASON_MEMORY_LIMIT],
    ]);
    expect(new Set(movesOf(planned).map(String))).toEqual(new Set(movesOf(answers).map(String)));
    expect(answers.at(-1)).toMatchObject({ done: true, movedCount: 5, namespace: '' });
    expect(await tierOf(parent, 'a')).toBe(TIER_LONG_TERM);
    expect(await tierOf(parent, 'e')).toBe(TIER_SHORT_TERM);
    expect(movesOf(await maintain({ parent }))).toEqual([]);
  });

  it('when a memory has stayed beyond the time to live › moves it down; one read in focus meanwhile stays', async () => {
    const parent = await spaceWith(['a', 'b'], { 'short_term.ttl': '1h', 'intermediate.ttl': 'none' });
    nowUs += 3_000_000_000;
    await tierOf(parent, 'b', { focus: true });
    nowUs += 700_000_000;
    expect(movesOf(await maintain({ parent }))).toEqual([['a', TIER_INTERMEDIATE, MoveReason.MOVE_REASON_TTL]]);
    nowUs += 3_600_000_000;
    expect(movesOf(await maintain({ parent }))).toEqual([['b', TIER_INTERMEDIATE, MoveReason.MOVE_REASON_TTL]]);
  });

  it('when asked for one agent › leaves the memories of the others', async () => {
    const parent = await spaceWith(['a', 'b'], { 'short_term.memory_limit': '1' }, 'ada');
    await storeIn(parent, ['c', 'd'], 'bob');
    expect(movesOf(await maintain({ parent, agent: 'bob' })).map(([id]) => id)).toEqual(['c', 'd']);
    expect(await tierOf(parent, 'a')).toBe(TIER_SHORT_TERM);
  });

  it('when types are kept out of long-term memory › they stay, unless asked for any type', async () => {
    const parent = await spaceWith(['a'], { 'long_term.types': 'state' });
    const requests = [{ memoryId: 's', memory: { text: 'x', type: 'state' } }];
    await ask(
      mneme.memories,
      mneme.memories.batchStoreMemories,
      BatchStoreMemoriesRequest.fromPartial({ parent, requests }),
    );
    await maintain({ parent, flush: true });
    expect([await tierOf(parent, 'a'), await tierOf(parent, 's')]).toEqual([TIER_INTERMEDIATE, TIER_LONG_TERM]);
    await maintain({ parent, flush: true, anyType: true });
    expect(await tierOf(parent, 'a')).toBe(TIER_LONG_TERM);
  });

  it('when a tier holds too many bytes, or too many of a type › moves until it does not', async () => {
    const parent = await spaceWith(['a', 'b', 'c'], { 'short_term.bytes_limit': '20' });
    const answers = await maintain({ parent });
    expect(movesOf(answers).map(([, , reason]) => reason)).toEqual([
      MoveReason.MOVE_REASON_BYTES_LIMIT,
      MoveReason.MOVE_REASON_BYTES_LIMIT,
    ]);
    const other = await spaceWith(['a', 'b', 'c'], { 'type.statement.short_term.memory_limit': '2' });
    expect(movesOf(await maintain({ parent: other })).map(([, , reason]) => reason)).toEqual([
      MoveReason.MOVE_REASON_TYPE_MEMORY_LIMIT,
    ]);
  });

  it('when the namespace is not there, or its name is none › refused', async () => {
    await expect(maintain({ parent: 'namespaces/none' })).rejects.toMatchObject({ code: 5 });
    await expect(maintain({ parent: 'nonsense' })).rejects.toMatchObject({ code: 3 });
  });
});

describe('Demote and Promote', () => {
  it('on request › move by one tier, or to the requested tier; memories already there stay', async () => {
    const parent = await spaceWith(['a', 'b']);
    const first = await ask(mneme.memories, mneme.memories.demoteMemories, demote(parent, ['a']));
    expect(first.moves).toMatchObject([
      { name: `${parent}/memories/a`, fromTier: TIER_SHORT_TERM, toTier: TIER_INTERMEDIATE, reason: 7 },
    ]);
    await ask(mneme.memories, mneme.memories.demoteMemories, demote(parent, ['a', 'b'], TIER_LONG_TERM));
    expect([await tierOf(parent, 'a'), await tierOf(parent, 'b')]).toEqual([TIER_LONG_TERM, TIER_LONG_TERM]);
    const again = await ask(mneme.memories, mneme.memories.demoteMemories, demote(parent, ['a'], TIER_INTERMEDIATE));
    expect(again.moves).toEqual([]);
    const names = [`${parent}/memories/a`, `${parent}/memories/b`];
    const up = PromoteMemoriesRequest.fromPartial({ parent, names, toTier: TIER_SHORT_TERM });
    await ask(mneme.memories, mneme.memories.promoteMemories, up);
    expect([await tierOf(parent, 'a'), await tierOf(parent, 'b')]).toEqual([TIER_SHORT_TERM, TIER_SHORT_TERM]);
  });

  it('when one of the memories is missing › refused by name, and nothing is moved', async () => {
    const parent = await spaceWith(['a']);
    const refused = await refusal(ask(mneme.memories, mneme.memories.demoteMemories, demote(parent, ['a', 'none'])));
    expect(refused).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
    expect(await tierOf(parent, 'a')).toBe(TIER_SHORT_TERM);
  });

  it('when the tier is wrong, or there are no names › refused with the field', async () => {
    const parent = await spaceWith(['a']);
    const wrong = [
      demote(parent, ['a'], TIER_SHORT_TERM),
      demote(parent, []),
      demote('namespaces/other', ['a'], 77 as Tier),
    ];
    const fields = ['to_tier', 'names', 'to_tier'];
    for (const [at, request] of wrong.entries()) {
      const refused = await refusal(ask(mneme.memories, mneme.memories.demoteMemories, request));
      expect(refused).toMatchObject({ reason: 'FIELD_INVALID' });
      expect(refused.fields).toEqual([fields[at]]);
    }
  });
});

describe('focus', () => {
  it('when a lowered memory is read in focus often enough › moves one tier up each time, and counts the reading', async () => {
    const parent = await spaceWith(['a'], { 'promotion.retrieval_count': '2' });
    await ask(mneme.memories, mneme.memories.demoteMemories, demote(parent, ['a'], TIER_LONG_TERM));
    expect(await tierOf(parent, 'a', { focus: true })).toBe(TIER_LONG_TERM);
    expect(await tierOf(parent, 'a', { focus: true })).toBe(TIER_INTERMEDIATE);
    expect(await tierOf(parent, 'a', { touch: true })).toBe(TIER_INTERMEDIATE);
    expect(await tierOf(parent, 'a', { focus: true })).toBe(TIER_SHORT_TERM);
    const request = GetMemoryRequest.fromPartial({ name: `${parent}/memories/a` });
    expect((await ask(mneme.memories, mneme.memories.getMemory, request)).memory?.retrievalCount).toBe(4);
  });

  it('when recalled with focus › the hits count and move, the answer names them; tiers narrow the search', async () => {
    const parent = await spaceWith(['a', 'b'], { 'promotion.retrieval_count': '1' });
    await ask(mneme.memories, mneme.memories.demoteMemories, demote(parent, ['a'], TIER_LONG_TERM));
    const asked = { parent, text: 'memory', tiers: [TIER_LONG_TERM, TIER_INTERMEDIATE], focus: true };
    const answer = await ask(
      mneme.recalls,
      mneme.recalls.recall,
      RecallRequest.fromPartial({ minRelevance: 0, ...asked }),
    );
    expect(answer.hits.map(({ memory }) => [memory?.text, memory?.tier])).toEqual([
      ['the memory a', TIER_INTERMEDIATE],
    ]);
    expect(answer.promoted).toEqual([`${parent}/memories/a`]);
    const plain = await ask(
      mneme.recalls,
      mneme.recalls.recall,
      RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'memory' }),
    );
    expect(plain.hits).toHaveLength(2);
    expect(plain.hits.find(({ memory }) => memory?.text === 'the memory a')?.memory?.retrievalCount).toBe(1);
  });

  it('when a hit is stored compressed › the text is complete, and an explanation reports the restoration', async () => {
    const parent = await spaceWith(['other'], { 'long_term.abstract_bytes': '64' });
    const textOf = (id: string) => `The harbour ${id} at dawn. ${'Gulls circled over the nets. '.repeat(40)}`;
    const requests = ['a', 'b'].map((id) => ({ memoryId: id, memory: { text: textOf(id) } }));
    await ask(
      mneme.memories,
      mneme.memories.batchStoreMemories,
      BatchStoreMemoriesRequest.fromPartial({ parent, requests }),
    );
    await ask(mneme.memories, mneme.memories.demoteMemories, demote(parent, ['a'], TIER_LONG_TERM));
    const asked = RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'harbour', explain: true, limit: 2 });
    const { hits } = await ask(mneme.recalls, mneme.recalls.recall, asked);
    const received = hits.map(({ memory, restored }) => [
      memory?.name.at(-1),
      memory?.tier,
      memory?.text === textOf(memory?.name.at(-1) ?? ''),
      restored,
    ]);
    expect(received.toSorted()).toEqual([
      ['a', TIER_LONG_TERM, true, true],
      ['b', TIER_SHORT_TERM, true, false],
    ]);
  });
});

describe('GetConfig and UpdateConfig', () => {
  const update = (settings: Settings, allowDemotion = false) =>
    ask(mneme.admin, mneme.admin.updateConfig, UpdateConfigRequest.fromPartial({ settings, allowDemotion }));

  it('when set and removed › apply to namespaces without settings of their own', async () => {
    await update({ 'short_term.memory_limit': '1' }, true);
    const parent = await spaceWith(['a', 'b']);
    expect(movesOf(await maintain({ parent, dryRun: true }))).toHaveLength(1);
    const own = await spaceWith(['a', 'b'], { 'short_term.memory_limit': '5' });
    expect(movesOf(await maintain({ parent: own, dryRun: true }))).toEqual([]);
    expect((await update({ 'short_term.memory_limit': '' })).settings).toEqual({});
    expect(movesOf(await maintain({ parent, dryRun: true }))).toEqual([]);
  });

  it('when a limit is below the contents of a namespace › refused with the number, unless allow_demotion', async () => {
    const parent = await spaceWith(['a', 'b', 'c', 'd', 'e', 'f']);
    const refused = await refusal(update({ 'short_term.memory_limit': '2', 'short_term.ttl': '3h' }));
    expect([refused.reason, refused.fields]).toEqual(['FIELD_INVALID', ['settings[short_term.memory_limit]']]);
    expect(refused.descriptions[0]).toMatch(/at least the current \d+ memories in namespaces\/.*allow_demotion/);
    expect((await ask(mneme.admin, mneme.admin.getConfig, GetConfigRequest.fromPartial({}))).settings).toEqual({});
    await update({ 'short_term.memory_limit': '2' }, true);
    expect(movesOf(await maintain({ parent, dryRun: true }))).toHaveLength(4);
    await update({ 'short_term.memory_limit': '' });
  });

  it('when keys are unknown and a value is invalid › all are reported', async () => {
    const refused = await refusal(
      update({ 'cache.entrys': '1', 'type.x.long_term.ttl': '1s', 'short_term.ttl': '0s' }),
    );
    expect(refused.descriptions).toEqual([
      expect.stringMatching(/^is not a setting; did you mean cache\.entries\? there are cache\.\{.*\}$/),
      expect.stringMatching(
        /^is not a setting; settings of a type have the form type\.\{type\}\..*\{memory_limit\|ttl\}$/,
      ),
      expect.stringMatching(/or none, got "0s"$/),
    ]);
  });

  it('when one of several is wrong › refused by key, and none is set', async () => {
    const wrong: [Settings, string][] = [
      [{ 'short_term.memory_limit': '5', 'short_term.ttl': '-1s' }, 'settings[short_term.ttl]'],
      [{ 'short_term.memory_limit': '5', 'short_term.ttl': '0s' }, 'settings[short_term.ttl]'],
      [{ 'short_term.memory_limit': '5', 'no.such': '1' }, 'settings[no.such]'],
      [{}, 'settings'],
    ];
    for (const [settings, field] of wrong) {
      const refused = await refusal(update(settings));
      expect(refused).toMatchObject({ reason: 'FIELD_INVALID' });
      expect(refused.fields).toEqual([field]);
    }
    const { settings } = await ask(mneme.admin, mneme.admin.getConfig, GetConfigRequest.fromPartial({}));
    expect(settings).toEqual({});
  });
});
