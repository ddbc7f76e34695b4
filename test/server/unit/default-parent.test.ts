import { describe, expect, it } from '@jest/globals';
import { setDefaultParent } from '../../../src/server/grpc/edge/default-parent.ts';
import { loadDescriptors } from '../../../src/server/grpc/edge/load-descriptors.ts';

/** They delete or administer, or are about all namespaces without a namespace. */
const WITHOUT = new Set([
  'AdminService/ClearRecallCache',
  'AdminService/ClearTier',
  'AdminService/GetReembedProgress',
  'AdminService/MaintainTiers',
  'AdminService/ReembedMemories',
  'AgentService/DeleteAgentSnapshot',
  'AgentService/RestoreAgentSnapshot',
  'ConsolidationService/Consolidate',
  'KnowledgeService/ForgetFacts',
  'MemoryService/ForgetMemories',
  'ScopeService/SetScopePolicy',
]);

const { registry } = await loadDescriptors();
const methods = [...registry].flatMap((type) => (type.kind === 'service' ? type.methods : []));

describe('a request without a namespace', () => {
  it.each(
    methods
      .filter(({ input }) => input.fields.some(({ name }) => name === 'parent'))
      .map(({ parent, name }) => `${parent.name}/${name}`),
  )('of %s › is about the default one, unless it deletes, administers or is about all', (method) => {
    const request = { parent: '' };
    setDefaultParent(`mneme.v1.${method}`, request);
    expect(request.parent).toBe(WITHOUT.has(method) ? '' : 'namespaces/default');
    const named = { parent: 'namespaces/x' };
    setDefaultParent(`mneme.v1.${method}`, named);
    expect(named.parent).toBe('namespaces/x');
  });

  it.each([
    ['RecallService/RecallStream', { query: { parent: '' } }, { query: { parent: 'namespaces/default' } }],
    ['RecallService/RecallStream', { query: undefined }, { query: undefined }],
    [
      'IngestService/IngestMemories',
      { message: { $case: 'start', value: { parent: '' } } },
      { message: { $case: 'start', value: { parent: 'namespaces/default' } } },
    ],
    [
      'IngestService/IngestMemories',
      { message: { $case: 'batch', value: {} } },
      { message: { $case: 'batch', value: {} } },
    ],
    ['MemoryService/GetMemory', { name: '' }, { name: '' }],
  ])('of %s, %j › is %j', (method, request, expected) => {
    setDefaultParent(`mneme.v1.${method}`, request);
    expect(request).toEqual(expected);
  });
});
