import { afterEach, describe, expect, it } from '@jest/globals';
import { PreciseDate, where } from '../../clients/typescript/src/index.ts';
import { TrustLevel } from '../../gen/ts/mneme/v1/knowledge_service.ts';
import {
  type CreateNamespaceRequest,
  type DeleteNamespaceRequest,
  Namespace,
  type UpdateNamespaceRequest,
} from '../../gen/ts/mneme/v1/namespace_service.ts';
import type { RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { cleanUp, serve } from './support/clean-up.ts';
import { bareMemoryMessage } from './support/proto-memory.ts';
import { unary } from './support/start-service.ts';

afterEach(cleanUp);

const STATISTICS = {
  memoryCount: 3,
  contentBytes: 100,
  embeddedCount: 1,
  embeddingPendingCount: 0,
  importanceMean: 0.5,
  types: [{ type: 'fact', memoryCount: 3 }],
  tiers: [{ tier: 1, memoryCount: 3, contentBytes: 100, storedBytes: 40, importanceMean: 0.5 }],
  mostAccessed: [{ name: 'namespaces/a/memories/m1', retrievalCount: 4, lastAccessTime: { seconds: 5n, nanos: 1000 } }],
  leastAccessed: [{ name: 'namespaces/a/memories/m2', retrievalCount: 0, lastAccessTime: undefined }],
  retrievalCount: 2,
};

describe('client › recall', () => {
  async function recalling() {
    const requests: RecallRequest[] = [];
    const recall = unary<RecallRequest, object>((request) => {
      requests.push(request);
      return {
        hits: [
          {
            memory: bareMemoryMessage('m1'),
            score: 0.75,
            trust: TrustLevel.TRUST_LEVEL_USER,
            components: [{ name: 'keyword', value: 3.5, contribution: 0.7, rank: 1 }],
            features: [],
            matchedTerms: ['tea'],
            before: [bareMemoryMessage('m0')],
            after: [],
            equalCount: 0,
            outdatedBy: '',
          },
        ],
        revision: 9n,
        lanes: [1, 3],
        degraded: [{ part: 'vector', reason: 'no index' }],
        candidateCount: 12,
        lowRelevanceCount: 3,
        passages: [],
        promoted: [],
        damaged: [],
        tokenCount: 0,
      };
    });
    const { mneme } = await serve({ recall: { recall } });
    return { mneme, requests };
  }

  it('a text › asks with defaults and brings ranked hits', async () => {
    const { mneme, requests } = await recalling();

    const recalled = await mneme.recall('tea');

    expect(requests[0]).toEqual({
      parent: 'namespaces/default',
      text: 'tea',
      similarTo: '',
      timeZone: '',
      groupBy: 0,
      filterText: '',
      limit: 0,
      includeInvalid: false,
      explain: false,
      view: 1,
      touch: false,
      minRevision: 0n,
      neighborCount: 0,
      diversity: 0,
      exact: false,
      tokenBudget: 0,
      ranking: 0,
      scopeView: 0,
      focus: false,
      tiers: [],
    });
    expect(recalled).toMatchObject({
      hits: [
        { score: 0.75, trust: 'user', memory: { id: 'm1' }, matchedTerms: ['tea'], before: [{ id: 'm0' }], after: [] },
      ],
      lanes: ['keyword', 'filter'],
      degraded: [{ part: 'vector', reason: 'no index' }],
      candidateCount: 12,
      lowRelevanceCount: 3,
      revision: 9,
    });
  });

  it('every part of a query › arrives', async () => {
    const { mneme, requests } = await recalling();

    await mneme.withNamespace('n').recall({
      text: 'tea',
      embedding: { model: 'm', values: [1] },
      example: { text: 'like this' },
      similarTo: 'm5',
      filter: where.type.equals('fact'),
      scope: { session: 's' },
      limit: 50,
      minScore: 0,
      minSimilarity: 0.3,
      diversity: 0.25,
      weights: { vector: 0, keyword: 2 },
      recencyHalfLifeMs: 1_500,
      includeInvalid: true,
      explain: true,
      view: 'metadata',
      touch: true,
      neighborCount: 2,
      exact: true,
    });

    expect(requests[0]).toMatchObject({
      parent: 'namespaces/n',
      embedding: { model: 'm', dimension: 1 },
      example: { text: 'like this' },
      similarTo: 'namespaces/n/memories/m5',
      filter: { node: { $case: 'comparison' } },
      scope: { session: 's' },
      limit: 50,
      minScore: 0,
      minSimilarity: 0.3,
      diversity: 0.25,
      weights: { keyword: 2, vector: 0 },
      recencyHalfLife: { seconds: 1n, nanos: 500_000_000 },
      includeInvalid: true,
      explain: true,
      view: 3,
      touch: true,
      neighborCount: 2,
      exact: true,
    });
    expect(requests[0]?.weights?.recency).toBeUndefined();
  });
});

describe('client › namespaces', () => {
  it('creating, changing and deleting › send only fields that are set', async () => {
    const requests: unknown[] = [];
    const namespace = Namespace.fromPartial({ name: 'namespaces/a', description: 'd', memoryLimit: 5, version: 1n });
    const note = <Request>(answer: object) =>
      unary<Request, object>((request) => {
        requests.push(request);
        return answer;
      });
    const { mneme } = await serve({
      namespaces: {
        createNamespace: note<CreateNamespaceRequest>({ namespace, revision: 1n }),
        updateNamespace: note<UpdateNamespaceRequest>({ namespace, revision: 2n }),
        deleteNamespace: note<DeleteNamespaceRequest>({ forgottenCount: 4, revision: 3n }),
      },
    });

    const created = await mneme.namespaces.create('a', { description: 'd' }, { requestId: 'r1' });
    await mneme.namespaces.update('a', { memoryLimit: 5 }, { requestId: 'r2', ifVersion: 1 });
    const settings = { 'short_term.memory_limit': 50, 'short_term.ttl': '2h', 'long_term.vector': null };
    await mneme.namespaces.update('a', { settings }, { requestId: 'r4', allowDemotion: true });
    const deleted = await mneme.namespaces.delete('a', { requestId: 'r3', force: true });

    expect(created).toMatchObject({ id: 'a', name: 'namespaces/a', memoryLimit: 5, version: 1 });
    expect(requests).toMatchObject([
      { namespace: { name: 'namespaces/a', description: 'd' }, requestId: 'r1' },
      { namespace: { name: 'namespaces/a' }, ifVersion: 1n, updateMask: ['memory_limit'], requestId: 'r2' },
      {
        namespace: { settings: { 'short_term.memory_limit': '50', 'short_term.ttl': '2h', 'long_term.vector': '' } },
        updateMask: ['settings'],
        allowDemotion: true,
      },
      { name: 'namespaces/a', force: true, requestId: 'r3' },
    ]);
    expect(deleted).toEqual({ forgottenCount: 4, revision: 3 });
  });

  it('statistics › are of the own namespace unless another is named', async () => {
    const names: string[] = [];
    const getNamespaceStatistics = unary<{ name: string; simplified: boolean }, object>(({ name, simplified }) => {
      names.push(simplified ? `${name} simplified` : name);
      return { statistics: STATISTICS, revision: 1n, lastMaintenanceTime: { seconds: 9n, nanos: 0 } };
    });
    const { mneme } = await serve({ namespaces: { getNamespaceStatistics } }, { namespace: 'mine' });

    const statistics = await mneme.namespaces.getStatistics();
    await mneme.namespaces.getStatistics('other', { simplified: true });

    expect(names).toEqual(['namespaces/mine', 'namespaces/other simplified']);
    expect(statistics).toEqual({
      ...STATISTICS,
      tiers: [{ tier: 'short_term', memoryCount: 3, contentBytes: 100, storedBytes: 40, importanceMean: 0.5 }],
      mostAccessed: [
        { name: 'namespaces/a/memories/m1', retrievalCount: 4, lastAccessTime: new PreciseDate(5_000_001) },
      ],
      leastAccessed: [{ name: 'namespaces/a/memories/m2', retrievalCount: 0 }],
      lastMaintenanceTime: new PreciseDate(9_000_000),
    });
  });
});

describe('client › statistics of an agent', () => {
  const AGENT = {
    agent: 'ada',
    memoryCount: 2,
    contentBytes: 10,
    types: [{ type: 'fact', memoryCount: 2 }],
    tiers: [{ tier: 3, memoryCount: 2, contentBytes: 10 }],
  };
  const received = { ...AGENT, tiers: [{ tier: 'long_term', memoryCount: 2, contentBytes: 10 }] };

  it('of all namespaces, or of the default one unless another is named › without a name sends nothing', async () => {
    const asked: object[] = [];
    const answer = unary<object, object>((request) => {
      asked.push(request);
      return { agentStatistics: AGENT, revision: 1n, namespaceCount: 1, diskBytes: 1, vectorIndexes: [], degraded: [] };
    });
    const services = { admin: { getServerStatistics: answer }, namespaces: { getNamespaceStatistics: answer } };
    const { mneme } = await serve(services, { namespace: 'mine' });

    expect(await mneme.admin.getAgentStatistics('ada', { simplified: true })).toEqual(received);
    expect(await mneme.namespaces.getAgentStatistics('ada')).toEqual(received);
    await mneme.namespaces.getAgentStatistics('ada', 'other');
    expect(asked).toEqual([
      { agent: 'ada', simplified: true },
      { name: 'namespaces/mine', agent: 'ada', simplified: false },
      { name: 'namespaces/other', agent: 'ada', simplified: false },
    ]);
    await expect(mneme.admin.getAgentStatistics('')).rejects.toThrow('agent: must not be empty');
  });
});

describe('client › admin', () => {
  it('the server › reports version, backends and totals', async () => {
    const { mneme } = await serve({
      admin: {
        getServerInfo: unary(() => ({
          version: '0.1.0',
          startTime: { seconds: 2n, nanos: 0 },
          revision: 9n,
          backends: [{ role: 'memories', technology: 'sqlite', durability: 'power loss' }],
          embedder: { kind: 'none', model: '', dimension: 0, laneWeight: 0 },
          capabilities: ['recall.neighbors'],
          degraded: [],
          limits: [{ name: 'max_batch_size', value: 1000 }],
        })),
        getServerStatistics: unary(() => ({
          statistics: STATISTICS,
          namespaceCount: 2,
          diskBytes: 4096,
          revision: 9n,
          vectorIndexes: [{ namespace: 'namespaces/a', vectorCount: 1, exactCount: 1, revision: 8n }],
          degraded: [],
        })),
      },
    });

    const info = await mneme.admin.getServerInfo();
    const statistics = await mneme.admin.getServerStatistics();

    expect(info).toMatchObject({
      version: '0.1.0',
      startTime: new PreciseDate(2_000_000),
      revision: 9,
      embedder: { kind: 'none', laneWeight: 0 },
      limits: { max_batch_size: 1000 },
    });
    expect(statistics).toMatchObject({
      memoryCount: 3,
      namespaceCount: 2,
      diskBytes: 4096,
      vectorIndexes: [{ namespace: 'a', vectorCount: 1, exactCount: 1, revision: 8 }],
    });
  });
});
