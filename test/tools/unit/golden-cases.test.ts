import { describe, expect, it } from '@jest/globals';
import { faultOf } from '../../../tools/golden/case-fault.ts';
import type { GoldenCase, JsonObject } from '../../../tools/golden/cases.ts';
import { limitOf, queryOf } from '../../../tools/golden/query-of-case.ts';
import { memoryOf } from '../../../tools/golden/stored-entry.ts';

const STRATEGIES = new Set(['attribute', 'importance', 'sequence']);

function golden(query: object = {}, others: object = {}): GoldenCase {
  return {
    id: 'one',
    memory_file: 'memories.json',
    agent_id: 'ann',
    query: { strategy: 'attribute', input: 'door', params: {}, ...query },
    expected: { checksums: [] },
    ...others,
  };
}

describe('a golden case', () => {
  it.each([
    [golden()],
    [golden({}, { expected: { memory_ids: ['a'] }, adjust: { now: '2024-07-17T14:30:00Z', limit: 3 }, notes: 'x' })],
    [golden({}, { expected: { error: true, error_type: 'ValueError', message_contains_any: ['no'] } })],
  ])('is run when all that it says is understood', (provided) => {
    expect(faultOf(provided, STRATEGIES)).toBeUndefined();
  });

  it.each([
    [golden({}, { retries: 3 }), 'case has the key "retries"'],
    [golden({ kwargs: {} }), 'query has the key "kwargs"'],
    [golden({}, { expected: { checksums: [], min_count: 1 } }), 'expected has the key "min_count"'],
    [golden({}, { adjust: { tier: 'stm' } }), 'adjust has the key "tier"'],
    [golden({}, { adjust: { now: 'noon' } }), 'adjust.now'],
    [golden({ strategy: 'vibes' }), 'no preset "vibes"'],
    [golden({ params: ['limit'] }), 'query.params'],
    [golden({}, { expected: {} }), 'either an error or a set'],
    [golden({}, { expected: { error: true, checksums: ['a'] } }), 'either an error or a set'],
    [golden({}, { query: 'door' }), 'query is not an object'],
  ])('is refused with what is not understood', (provided, fault) => {
    expect(faultOf(provided, STRATEGIES)).toContain(fault);
  });
});

describe('the query of a golden case', () => {
  const parametersOf = (query: object) => queryOf(golden(query)).preset?.parameters;

  it('leaves out arguments that are null, but not nulls in the query itself', () => {
    expect(parametersOf({ params: { scoring_method: null, tier: null } })).toEqual({ query: 'door' });
    const asked = { strategy: 'importance', input: { min_importance: null } };
    expect(parametersOf(asked)).toEqual({ min_importance: null });
  });

  it('has arguments of the call before those of the strategy', () => {
    const asked = {
      params: { scoring_method: 'bm25' },
      strategy_options: { scoring_method: 'binary', match_all: true },
    };
    expect(parametersOf(asked)).toEqual({ query: 'door', scoring_method: 'bm25', match_all: true });
  });

  it('looks for sequences in one tier where none is set', () => {
    for (const params of [{}, { tier: null }]) {
      expect(queryOf(golden({ strategy: 'sequence', input: 'm1', params })).filter).toBeDefined();
    }
    expect(queryOf(golden()).filter).toBeUndefined();
  });

  it("requests at least one memory and at most the server's limit, and distinguishes a limit of 0", () => {
    expect([0, 3, 5000].map((limit) => queryOf(golden({ params: { limit } })).limit)).toEqual([1, 3, 1000]);
    expect(limitOf(golden({ params: { limit: 0 } }))).toBe(0);
    expect(limitOf(golden())).toBeUndefined();
    expect(() => limitOf(golden({ params: { limit: '3' } }))).toThrow('the limit must be a whole number');
  });
});

describe('an entry', () => {
  const importanceOf = (metadata: JsonObject) =>
    memoryOf({ memory_id: 'm', agent_id: 'ann', type: 'note', content: {}, metadata }).importance;

  it('has the importance of a number or a word', () => {
    const said: JsonObject[] = [{ importance_score: 0.4 }, { importance_score: 'High' }, { importance: 'low' }, {}];
    expect(said.map(importanceOf)).toEqual([0.4, 0.9, 0.3, undefined]);
  });
});
