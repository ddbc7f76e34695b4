import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GetServerStatisticsRequest, MaintainTiersRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import { DemoteMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { GetNamespaceStatisticsRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const NOW_US = 1_800_000_000_000_000;

describe('statistics of an agent', () => {
  let mneme: TestServer;
  beforeAll(async () => {
    const flags = { embedder: 'none', maintenanceIntervalMs: '86400000' };
    mneme = await startTestServer(flags, { clock: { nowUs: () => NOW_US } });
  });
  afterAll(async () => {
    await mneme.stop();
  });

  const ofAll = (request: object) =>
    ask(mneme.admin, mneme.admin.getServerStatistics, GetServerStatisticsRequest.fromPartial(request));
  const ofOne = (name: string, request: object = {}) => {
    const message = GetNamespaceStatisticsRequest.fromPartial({ name, ...request });
    return ask(mneme.namespaces, mneme.namespaces.getNamespaceStatistics, message);
  };

  it('statistics of an agent › count only its memories by tier and type, of one namespace or of all', async () => {
    const [one, other] = [freshNamespace(), freshNamespace()];
    const scope = (agent: string) => ({ project: 'p', agent });
    const first = await store(mneme, one, { text: 'abc', type: 'fact', scope: scope('ada') });
    await store(mneme, one, { text: 'de', type: 'plan', scope: scope('ada') });
    await store(mneme, one, { text: 'of another', type: 'fact', scope: scope('bob') });
    await store(mneme, other, { text: 'f', type: 'fact', scope: scope('ada') });
    const demotion = { parent: one, names: [first.name], toTier: Tier.TIER_LONG_TERM };
    await ask(mneme.memories, mneme.memories.demoteMemories, DemoteMemoriesRequest.fromPartial(demotion));

    const here = await ofOne(one, { agent: 'ada' });
    expect(here.statistics).toBeUndefined();
    expect(here.agentStatistics).toEqual({
      agent: 'ada',
      memoryCount: 2,
      contentBytes: 5,
      types: [
        { type: 'fact', memoryCount: 1 },
        { type: 'plan', memoryCount: 1 },
      ],
      tiers: [
        { tier: Tier.TIER_SHORT_TERM, memoryCount: 1, contentBytes: 2 },
        { tier: Tier.TIER_LONG_TERM, memoryCount: 1, contentBytes: 3 },
      ],
    });
    const everywhere = await ofAll({ agent: 'ada', simplified: true });
    expect(everywhere).toMatchObject({
      statistics: undefined,
      agentStatistics: { memoryCount: 3, contentBytes: 6, types: [] },
    });
    expect((await ofAll({ agent: 'nobody' })).agentStatistics).toEqual({
      agent: 'nobody',
      memoryCount: 0,
      contentBytes: 0,
      types: [],
      tiers: [],
    });
    expect(await ofAll({})).toMatchObject({ agentStatistics: undefined, statistics: { memoryCount: 4 } });
  });

  it('an agent that cannot be one › refused; a namespace that is not there › empty', async () => {
    expect(await refusal(ofAll({ agent: 'a\nb' }))).toMatchObject({ code: 'INVALID_ARGUMENT', fields: ['agent'] });
    const name = freshNamespace();
    expect(await refusal(ofOne(name, { agent: 'a'.repeat(9999) }))).toMatchObject({ fields: ['agent'] });
    expect(await ofOne(name, { agent: 'ada' })).toMatchObject({ agentStatistics: { agent: 'ada', memoryCount: 0 } });
  });

  it('simplified › of the whole server leaves out types and accesses; the full form is the default', async () => {
    await store(mneme, freshNamespace(), { text: 'one', type: 'fact' });
    expect((await ofAll({ simplified: true })).statistics).toMatchObject({
      types: [],
      mostAccessed: [],
      leastAccessed: [],
    });
    const { statistics } = await ofAll({});
    expect(statistics?.types.length).toBeGreaterThan(0);
    expect(statistics?.leastAccessed.length).toBeGreaterThan(0);
  });

  it('Maintain › is when the namespace was last maintained, moved or not; a dry run is not, nor that of another', async () => {
    const [one, other] = [freshNamespace(), freshNamespace()];
    for (const parent of [one, other]) await store(mneme, parent, { text: 'one' });
    const maintain = async (request: object) => {
      for await (const _ of mneme.admin.maintainTiers(MaintainTiersRequest.fromPartial(request)));
    };
    await maintain({ parent: one, dryRun: true });
    expect((await ofOne(one)).lastMaintenanceTime).toBeUndefined();
    await maintain({ parent: one });

    const seconds = BigInt(NOW_US / 1_000_000);
    expect((await ofOne(one)).lastMaintenanceTime).toEqual({ seconds, nanos: 0 });
    expect((await ofOne(one, { agent: 'ada' })).lastMaintenanceTime).toEqual({ seconds, nanos: 0 });
    expect((await ofOne(other)).lastMaintenanceTime).toBeUndefined();
  });
});
