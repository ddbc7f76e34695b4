import { describe, expect, it } from '@jest/globals';
import type { Memory } from '../../../src/memory/memory.ts';
import { QueryGroup } from '../../../src/search/standing/query-group.ts';
import type { StandingQuery } from '../../../src/search/standing/standing-query.ts';

function aQuery(text: string): StandingQuery {
  return { namespace: 'n', kind: 'ranked', text, minSimilarity: -1, seesTouches: false, seesMoves: false };
}

function affected(group: QueryGroup, text: string): number[] {
  const urgent = new Set<number>();
  group.look(1, { read: () => ({ text }) as Memory, near: [] }, urgent, new Set());
  return [...urgent].sort();
}

describe('Standing queries by words', () => {
  it('are affected by memories in any language that have their words in other forms', () => {
    const group = new QueryGroup();
    for (const [id, text] of ['Wo ist die Katze?', 'chansons', 'horses'].entries()) group.put(id, aQuery(text));
    expect(affected(group, 'The horse is old.')).toEqual([2]);
    expect(affected(group, 'Die Katzen sind nicht da.')).toEqual([0]);
    expect(affected(group, 'Nous avons écouté une chanson avec elle.')).toEqual([1]);
    group.put(3, aQuery('Katzen'));
    expect(affected(group, 'Unsere Katze ist nicht da.')).toEqual([0, 3]);
    group.remove(0);
    group.remove(3);
    expect(affected(group, 'Unsere Katze ist nicht da.')).toEqual([]);
    expect(affected(group, 'The horse is old.')).toEqual([2]);
  });
});
