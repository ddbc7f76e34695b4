import { describe, expect, it } from '@jest/globals';
import { admits } from '../../../src/memory/evaluate-filter.ts';
import { filterKeysOf, QueriesByKey } from '../../../src/search/standing/filter-keys.ts';
import { compare } from '../../../src/server/operations/memories/list-memories.ts';
import { seenFrom } from '../../../src/server/operations/recall/seen-request.ts';
import { seededRandom } from '../../support/random.ts';
import { randomFilter } from '../../support/random-filters.ts';
import { randomMemory } from '../../support/random-memories.ts';

const scope = { project: 'p', agentType: '', agent: 'ada', session: 's1' };

describe('keys of a filter', () => {
  it('of a scope › its narrowest part, or none: not every memory of a namespace is tried', () => {
    expect(filterKeysOf(seenFrom(scope))).toEqual({ field: 'session', values: ['s1', ''] });
    const facts = { kind: 'all', filters: [compare('type', 'equals', 'fact'), seenFrom(scope)] } as const;
    expect(filterKeysOf(facts)).toEqual({ field: 'session', values: ['s1', ''] });
  });

  it('of several alternatives › the values of each, if all require the same field', () => {
    const [fact, episode, red] = [
      compare('type', 'equals', 'fact'),
      compare('type', 'equals', 'episode'),
      compare('tag', 'equals', 'red'),
    ];
    expect(filterKeysOf({ kind: 'any', filters: [fact, episode] })).toEqual({
      field: 'type',
      values: ['fact', 'episode'],
    });
    expect(filterKeysOf({ kind: 'any', filters: [fact, red] })).toBeUndefined();
    expect(filterKeysOf({ kind: 'any', filters: [] })).toBeUndefined();
  });
});

it('queries by key › each memory that a filter admits is among the candidates of its query, whatever the filter', () => {
  const random = seededRandom('filter-keys');
  const filters = Array.from({ length: 300 }, (_, at) => (at % 3 === 0 ? seenFrom(scope) : randomFilter(random)));
  const queries = new QueriesByKey();
  for (const [id, filter] of filters.entries()) queries.put(id, filter);
  for (let at = 0; at < 200; at++) {
    const memory = { ...randomMemory(random, `m${at}`), namespace: 'n', revision: 1 };
    const candidates = new Set(queries.candidates(memory));
    const missed = filters.filter((filter, id) => admits(filter, memory) && !candidates.has(id));
    expect({ memory, missed }).toEqual({ memory, missed: [] });
  }
  for (const [id, filter] of filters.entries()) queries.remove(id, filter);
  expect(queries.size).toBe(0);
});
