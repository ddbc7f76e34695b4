import { describe, expect, it } from '@jest/globals';
import { toThrown } from '../../../src/memory/errors.ts';
import { ownerOf } from '../../../src/search/recall/namespace-owner.ts';
import { SplitStandingIndex } from '../../../src/search/standing/split-standing-index.ts';
import type {
  AffectedQueries,
  Evaluation,
  StandingQuery,
  StandingQueryIndex,
} from '../../../src/search/standing/standing-query.ts';

/** An index that reports what the test puts into it. */
class ListedIndex implements StandingQueryIndex {
  readonly queries = new Map<number, StandingQuery>();
  readonly counts: number[] = [];
  next: Partial<AffectedQueries> = {};

  async put(id: number, query: StandingQuery): Promise<void> {
    if (query.text === 'refused') throw new Error('refused');
    this.queries.set(id, query);
  }

  async remove(id: number): Promise<void> {
    this.queries.delete(id);
  }

  async affected({ count }: { readonly count: number }): Promise<AffectedQueries> {
    this.counts.push(count);
    const nothing = { urgent: [], settling: [], settlingNamespaces: [], changed: [] };
    return { throughRevision: 0, ...nothing, isEverything: false, ...this.next };
  }

  async evaluate(evaluations: readonly Evaluation[]) {
    return evaluations.map(({ id }) => ({ thrown: toThrown(new Error(`evaluated ${id}`)) }));
  }
}

/** Namespaces of which the first belongs to the first index, and so on. */
const [FIRST, SECOND] = [0, 1].map((index) => {
  const names = Array.from({ length: 100 }, (_, at) => `namespace-${at}`);
  return names.find((name) => ownerOf(name, 2) === index) ?? '';
}) as [string, string];

const queryIn = (namespace: string, text = ''): StandingQuery => {
  return { namespace, kind: 'ranked', text, minSimilarity: 0, seesTouches: false, seesMoves: false };
};

async function twoWithAQueryEach() {
  const [first, second] = [new ListedIndex(), new ListedIndex()];
  const split = new SplitStandingIndex([first, second]);
  await split.put(1, queryIn(FIRST), 0);
  await split.put(2, queryIn(SECOND), 0);
  return { first, second, split };
}

const read = { afterRevision: 0, count: 2 };

describe('standing queries in two indexes', () => {
  it('a query › is in the index that owns its namespace, until it is removed', async () => {
    const { first, second, split } = await twoWithAQueryEach();
    expect([[...first.queries.keys()], [...second.queries.keys()]]).toEqual([[1], [2]]);
    await split.remove(2);
    expect(second.queries.size).toBe(0);
  });

  it('each index › is asked with the number of its own queries, and not when it has none', async () => {
    const { first, second, split } = await twoWithAQueryEach();
    await split.put(3, queryIn(FIRST), 0);
    await split.affected(read);
    await split.remove(2);
    await split.affected(read);
    expect([first.counts, second.counts]).toEqual([[2, 2], [1]]);
  });

  it('an index ahead of the other › is reported when the other has come as far', async () => {
    const { first, second, split } = await twoWithAQueryEach();
    first.next = { throughRevision: 12, urgent: [1] };
    second.next = { throughRevision: 10, urgent: [2] };
    expect(await split.affected(read)).toMatchObject({ throughRevision: 10, urgent: [2] });
    first.next = { throughRevision: 14, settling: [1] };
    second.next = { throughRevision: 12 };
    expect(await split.affected(read)).toMatchObject({ throughRevision: 12, urgent: [1], settling: [] });
    second.next = { throughRevision: 14 };
    expect(await split.affected(read)).toMatchObject({ throughRevision: 14, urgent: [], settling: [1] });
  });

  it('one index is always ahead while changes come in › its queries are reported nevertheless', async () => {
    const { first, second, split } = await twoWithAQueryEach();
    const reported: number[] = [];
    for (let round = 1; round <= 6; round++) {
      first.next = { throughRevision: 10 * round + 8, urgent: [1] };
      second.next = { throughRevision: 10 * round, urgent: [2] };
      reported.push(...(await split.affected(read)).urgent);
    }
    expect(reported.filter((id) => id === 1).length).toBeGreaterThanOrEqual(2);
    expect(reported.filter((id) => id === 2).length).toBeGreaterThanOrEqual(3);
  });

  it('one that was restarted › everything is to be asked again', async () => {
    const { second, split } = await twoWithAQueryEach();
    second.next = { isEverything: true };
    expect(await split.affected(read)).toMatchObject({ isEverything: true });
  });

  it('a query that is removed while it is put again › is not counted', async () => {
    const { first, split } = await twoWithAQueryEach();
    const again = split.put(1, queryIn(FIRST), 0);
    await split.remove(1);
    await again;
    await split.affected(read);
    expect(first.counts).toEqual([]);
    expect(first.queries.size).toBe(0);
  });

  it('a query that is refused › is not counted', async () => {
    const { first, split } = await twoWithAQueryEach();
    await expect(split.put(3, queryIn(FIRST, 'refused'), 0)).rejects.toThrow('refused');
    await split.affected(read);
    expect(first.counts).toEqual([1]);
  });

  it('evaluations › are answered in their order, unknown ones too', async () => {
    const { split } = await twoWithAQueryEach();
    const ask = (id: number): Evaluation => ({ id, nowUs: 0, deadlineAtMs: 0 });
    const answers = await split.evaluate([ask(2), ask(9), ask(1)]);
    expect(answers).toMatchObject([
      { thrown: { message: 'evaluated 2' } },
      { isUnknown: true },
      { thrown: { message: 'evaluated 1' } },
    ]);
  });
});
