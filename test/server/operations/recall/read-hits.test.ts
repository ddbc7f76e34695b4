import { expect, it } from '@jest/globals';
import type { ScoredHit } from '../../../../src/search/recall/recall-engine.ts';
import { readHits } from '../../../../src/server/operations/recall/recall.ts';
import type { RecallRequest } from '../../../../src/server/operations/recall/recall-request.ts';
import { newMemory } from '../../../support/new-memory.ts';

const request = { namespace: 'n', view: 'basic' } as RecallRequest;
const found = (id: string, more: Partial<ScoredHit> = {}): ScoredHit => ({
  id,
  revision: 1,
  score: 1,
  relevance: 1,
  components: [],
  features: [],
  matchedTerms: [],
  equalCount: 0,
  isRestored: false,
  before: [],
  after: [],
  ...more,
});

it('readHits › memories deleted since the search are omitted and named, except neighbours', async () => {
  const store = {
    get: async ({ ids }: { ids: readonly string[] }) =>
      ids.map((id) => (id.startsWith('gone') ? undefined : { ...newMemory({ id }), namespace: 'n', revision: 1 })),
  };
  const scored = [found('a', { before: ['gone-neighbour', 'b'] }), found('gone')];
  const { hits, goneIds, damagedIds } = await readHits(store, request, { hits: scored }, 1);
  expect(hits.map(({ memory, before }) => [memory.id, before.map(({ id }) => id)])).toEqual([['a', ['b']]]);
  expect([goneIds, damagedIds]).toEqual([['gone'], []]);
});
