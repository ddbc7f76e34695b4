import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, where } from '../../../../clients/typescript/src/index.ts';
import {
  ClearTierRequest,
  GetServerStatisticsRequest,
  UpdateConfigRequest,
} from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import * as memory from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { DemoteMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest, type RecallStreamResponse } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { SetScopePolicyRequest } from '../../../../gen/ts/mneme/v1/scope_service.ts';
import { damageInFolder } from '../../../support/damage.ts';
import { PATIENT_CLIENT } from '../../../support/patient.ts';
import { ask, refusal } from '../support/ask.ts';
import { callingFrom, type ScopedClients } from '../support/calling-from.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { streamed } from '../support/recall-stream.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const WHO = ['inside', 'outside', 'nobody', 'operator'] as const;
const HEADERS = { inside: 'project=p&agent=ada', outside: 'project=p&agent=bob', nobody: '', operator: '*' };
const ada = { project: 'p', agent: 'ada' };
const LONG_TERM = Tier.TIER_LONG_TERM;
const LONG_TEXT =
  'tea of nobody but those who are inside, and of the rain that stayed away for so many weeks that year';

describe('cached answers and streams of a private scope', () => {
  let data: string;
  let mneme: TestServer;
  let parent: string;
  let callers: Record<(typeof WHO)[number], ScopedClients>;
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'mneme-sight-'));
    const flags = { data, embedder: 'none', recallCacheCount: '20', maintenanceIntervalMs: '86400000' };
    mneme = await startTestServer(flags);
    callers = Object.fromEntries(WHO.map((actor) => [actor, callingFrom(mneme, HEADERS[actor])])) as typeof callers;
    parent = freshNamespace();
    const settings = { 'long_term.abstract_bytes': '40' };
    await ask(mneme.admin, mneme.admin.updateConfig, UpdateConfigRequest.fromPartial({ settings }));
    await store(mneme, parent, { text: LONG_TEXT, scope: ada }, 'ada');
    await store(mneme, parent, { text: 'tea of bob', scope: { project: 'p', agent: 'bob' } }, 'bob');
    const names = [`${parent}/memories/ada`, `${parent}/memories/bob`];
    await ask(
      mneme.memories,
      mneme.memories.demoteMemories,
      DemoteMemoriesRequest.fromPartial({ parent, names, toTier: LONG_TERM }),
    );
  });
  afterEach(async () => {
    for (const caller of Object.values(callers)) caller.close();
    await mneme.stop();
    await rm(data, { recursive: true, force: true });
  });

  async function hide(): Promise<void> {
    const { scopes } = callers.operator;
    const policy = { scope: ada, isPrivate: true };
    await ask(scopes, scopes.setScopePolicy, SetScopePolicyRequest.fromPartial({ parent, policy }));
  }
  const idOf = (name = '') => name.split('/').at(-1) ?? '';
  async function recalled(actor: (typeof WHO)[number], more: object = {}): Promise<string[]> {
    const { recalls } = callers[actor];
    const { hits, damaged } = await ask(
      recalls,
      recalls.recall,
      RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'tea', ...more }),
    );
    return [...hits.map((hit) => idOf(hit.memory?.name)), ...damaged.map(idOf)].sort();
  }
  async function counts(): Promise<readonly (number | undefined)[]> {
    const { admin } = mneme;
    const { recallCache: cache } = await ask(
      admin,
      admin.getServerStatistics,
      GetServerStatisticsRequest.fromPartial({}),
    );
    return [cache?.hitCount, cache?.missCount, cache?.bypassedCount];
  }
  /** Every memory that a stream names, in any part. */
  const namedIn = (part: RecallStreamResponse) =>
    JSON.stringify(part, (_, value) => (typeof value === 'bigint' ? 0 : value));

  it('an answer cached for an unlimited caller › is returned to no limited one', async () => {
    await hide();
    for (let round = 0; round < 2; round++) expect(await recalled('operator')).toEqual(['ada', 'bob']);
    expect(await counts()).toEqual([1, 1, 0]);
    for (const actor of ['outside', 'nobody', 'outside', 'nobody'] as const)
      expect(await recalled(actor)).toEqual(['bob']);
    expect(await recalled('inside')).toEqual(['ada', 'bob']);
    expect(await counts()).toEqual([1, 1, 5]);
  });

  it('an answer cached before the scope was made private › is not returned afterwards', async () => {
    for (let round = 0; round < 2; round++) expect(await recalled('nobody')).toEqual(['ada', 'bob']);
    expect(await recalled('operator')).toEqual(['ada', 'bob']);
    await hide();
    for (const actor of ['outside', 'nobody'] as const) expect(await recalled(actor)).toEqual(['bob']);
    // A scope in the request counts as the caller's, where the call has none.
    expect(await recalled('nobody', { scope: { project: 'p', agent: 'bob' } })).toEqual(['bob']);
  });

  it('RecallStream › yields only hits that Recall would return to the same caller', async () => {
    await hide();
    for (const actor of WHO) {
      const query = { parent, text: 'tea', limit: 9, neighborCount: 2 };
      const { parts, merged } = await streamed(callers[actor], { query: { minRelevance: 0, ...query } });
      const seen = await recalled(actor, { limit: 9, neighborCount: 2 });
      expect(merged?.order.map(({ name }) => idOf(name)).sort()).toEqual(seen);
      expect(parts.some((part) => namedIn(part).includes('memories/ada'))).toBe(seen.includes('ada'));
    }
  });

  it('ClearTier › deletes and lists the memories visible to the caller; an administrator clears all', async () => {
    await hide();
    const clear = ({ admin }: ScopedClients, dryRun: boolean) =>
      ask(admin, admin.clearTier, ClearTierRequest.fromPartial({ parent, tier: LONG_TERM, all: true, dryRun }));
    for (const actor of ['outside', 'nobody'] as const) {
      const { clearedCount, names } = await clear(callers[actor], true);
      expect([clearedCount, names.map(idOf)]).toEqual([1, ['bob']]);
    }
    expect((await clear(callers.operator, true)).clearedCount).toBe(2);
    expect((await clear(callers.outside, false)).clearedCount).toBe(1);
    expect(await recalled('inside')).toEqual(['ada']);
    expect((await clear(callers.operator, false)).clearedCount).toBe(1);
    expect(await recalled('inside')).toEqual([]);
  });

  it('a damaged memory of it › does not exist for callers outside, in any request', async () => {
    await hide();
    damageInFolder(data, 'ada');
    const names = [`${parent}/memories/ada`, `${parent}/memories/bob`];
    for (const actor of ['outside', 'nobody'] as const) {
      const { memories } = callers[actor];
      const get = ask(memories, memories.getMemory, memory.GetMemoryRequest.fromPartial({ name: names[0] ?? '' }));
      expect(await refusal(get)).toMatchObject({ code: 'NOT_FOUND', reason: 'MEMORY_NOT_FOUND' });
      const got = await ask(
        memories,
        memories.batchGetMemories,
        memory.BatchGetMemoriesRequest.fromPartial({ parent, names }),
      );
      expect([got.memories.length, got.missing.map(idOf), got.damaged]).toEqual([1, ['ada'], []]);
      expect(await recalled(actor)).toEqual(['bob']);
    }
    const namespace = parent.split('/').at(-1) ?? '';
    for (const [agent, damaged] of [['bob', []] as const, ['ada', ['ada']] as const]) {
      const client = connect(mneme.address, { ...PATIENT_CLIENT, namespace, callFrom: { project: 'p', agent } });
      // A filter on the text cannot be evaluated for a damaged memory; its scope can.
      expect((await client.listPage({ filter: where.text.contains('tea') })).damagedIds).toEqual(damaged);
      void client.close();
    }
    const { memories } = callers.inside;
    const got = await ask(
      memories,
      memories.batchGetMemories,
      memory.BatchGetMemoriesRequest.fromPartial({ parent, names }),
    );
    expect(got.damaged.map(idOf)).toEqual(['ada']);
  });
});
