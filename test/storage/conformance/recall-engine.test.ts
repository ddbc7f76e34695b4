import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../../src/memory/checksum.ts';
import { MnemeError } from '../../../src/memory/errors.ts';
import type { ValidityView } from '../../../src/memory/validity.ts';
import type { NewMemory } from '../../../src/storage/records.ts';
import { newMemory } from '../../support/new-memory.ts';
import { seededRandom } from '../../support/random.ts';
import { aQuery, type RecallFixture, recallFixture } from '../../support/recall-fixture.ts';

let fixture: RecallFixture;
beforeEach(async () => {
  fixture = await recallFixture();
});
afterEach(() => fixture.close());

async function store(memories: readonly NewMemory[], namespace = 'n'): Promise<void> {
  await fixture.store.write({ kind: 'store', namespace, memories, createNamespace: true, onConflict: 'fail', atUs: 1 });
}

function ids(result: { readonly hits: readonly { readonly id: string }[] }): string[] {
  return result.hits.map((hit) => hit.id);
}

function reasonOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof MnemeError) return error.reason;
    throw error;
  }
  return 'none';
}

const session = (name: string) => ({ project: '', agentType: '', agent: '', session: name });

describe('Recall by text', () => {
  it('finds inflected words and ranks the rarer one first', async () => {
    await store([
      newMemory({ id: 'a', text: 'I paint in the garden' }),
      newMemory({ id: 'b', text: 'the garden is green' }),
      newMemory({ id: 'c', text: 'the gardens are closed' }),
      newMemory({ id: 'd', text: 'nothing of the kind' }),
    ]);
    const result = fixture.newEngine().search(aQuery({ text: 'What about painting in gardens?' }));
    expect(ids(result)).toEqual(['a', 'b', 'c']);
    expect(result.lanes).toEqual(['keyword']);
  });

  it('sees a write, an update and an erasure at once', async () => {
    const engine = fixture.newEngine();
    await store([newMemory({ id: 'a', text: 'apples' })]);
    expect(ids(engine.search(aQuery({ text: 'apple' })))).toEqual(['a']);
    await store([newMemory({ id: 'b', text: 'apple pie' })]);
    expect(ids(engine.search(aQuery({ text: 'apple' }))).sort()).toEqual(['a', 'b']);
    await fixture.store.write({
      kind: 'update',
      namespace: 'n',
      id: 'a',
      changes: { text: 'pears', checksum: checksumOf('pears') },
      atUs: 2,
    });
    expect(ids(engine.search(aQuery({ text: 'apple' })))).toEqual(['b']);
    expect(ids(engine.search(aQuery({ text: 'pear' })))).toEqual(['a']);
    await fixture.store.write({
      kind: 'delete',
      namespace: 'n',
      ids: ['b'],
      cause: 'deleted',
      mustExist: true,
      atUs: 3,
    });
    expect(ids(engine.search(aQuery({ text: 'apple' })))).toEqual([]);
  });

  it('returns scores that are independent of other namespaces', async () => {
    await store([newMemory({ id: 'a', text: 'apples and pears' }), newMemory({ id: 'b', text: 'apples' })]);
    const query = aQuery({ text: 'apple pear', explain: true });
    const bm25 = () =>
      fixture
        .newEngine()
        .search(query)
        .hits.map(({ components }) => components[0]?.value ?? 0);
    const [before = 0] = bm25();
    await store(
      Array.from({ length: 300 }, (_, at) => newMemory({ id: `o${at}`, text: `apples ${at}` })),
      'other',
    );
    const [after = 0] = bm25();
    // Only the mean length of texts is shared by all namespaces.
    expect(Math.abs(after - before)).toBeLessThan(before / 3);
    expect(ids(fixture.newEngine().search({ ...query, namespace: 'other', text: 'pear' }))).toEqual([]);
  });

  it('returns the memories around a hit in its session', async () => {
    await store(
      Array.from({ length: 6 }, (_, at) =>
        newMemory({ id: `m${at}`, text: at === 3 ? 'the needle' : `hay ${at}`, eventAtUs: at, scope: session('s') }),
      ),
    );
    const [hit] = fixture.newEngine().search(aQuery({ text: 'needle', neighborCount: 2 })).hits;
    expect([hit?.before, hit?.id, hit?.after]).toEqual([['m1', 'm2'], 'm3', ['m4', 'm5']]);
  });

  it('explains each hit by contributions that add up to its score and by the words found', async () => {
    await store([newMemory({ id: 'a', text: 'apples and pears', scope: session('s') })]);
    const [hit] = fixture.newEngine().search(aQuery({ text: 'pears, apples, plums', explain: true })).hits;
    expect(hit?.components.reduce((sum, part) => sum + part.contribution, 0)).toBeCloseTo(hit?.score ?? 0, 12);
    expect(hit?.matchedTerms).toEqual(['appl', 'pear']);
  });
});

describe('Recall of memories that may not be returned', () => {
  it('leaves out the expired, the superseded and the excluded', async () => {
    await store([
      newMemory({ id: 'a', text: 'tea', expiresAtUs: 100 }),
      newMemory({ id: 'b', text: 'tea', supersededBy: 'c' }),
      newMemory({ id: 'c', text: 'tea' }),
      newMemory({ id: 'd', text: 'tea' }),
    ]);
    const engine = fixture.newEngine();
    expect(ids(engine.search(aQuery({ text: 'tea', nowUs: 100 })))).toEqual(['c', 'd']);
    expect(ids(engine.search(aQuery({ text: 'tea', nowUs: 99, validity: 'any' })))).toEqual(['a', 'b', 'c', 'd']);
    expect(ids(engine.search(aQuery({ text: 'tea', nowUs: 100, excludeId: 'c' })))).toEqual(['d']);
  });

  it('omits invalid memories, and reads memories valid at a time', async () => {
    await store([
      newMemory({ id: 'a', text: 'tea in Paris', eventAtUs: 10, createdAtUs: 90, validUntilUs: 50, supersededBy: 'b' }),
      newMemory({ id: 'b', text: 'tea in Berlin', eventAtUs: 50, createdAtUs: 91, validFromUs: 50, validUntilUs: 200 }),
      newMemory({ id: 'c', text: 'tea in Rome', eventAtUs: 92, createdAtUs: 92, validFromUs: 200 }),
    ]);
    const engine = fixture.newEngine();
    const at = (nowUs: number, validity: ValidityView = 'current') =>
      ids(engine.search(aQuery({ text: 'tea', nowUs, validity })));
    expect(at(199)).toEqual(['b']);
    expect(at(200)).toEqual(['c']);
    expect(at(199, { asOfUs: 49 })).toEqual(['a']);
    expect(at(199, { asOfUs: 9 })).toEqual([]);
    expect(at(199, { asOfUs: 250 })).toEqual(['c']);
    expect(at(199, 'any').sort()).toEqual(['a', 'b', 'c']);
    expect(engine.search(aQuery({ text: 'tea', nowUs: 100 })).nextValidAtUs).toBe(200);
  });

  it('fails for a namespace that does not exist', () => {
    expect(reasonOf(() => fixture.newEngine().search(aQuery({ text: 'tea' })))).toBe('NAMESPACE_NOT_FOUND');
  });
});

describe('Recall with a filter', () => {
  it('returns admitted memories in the order of the unfiltered recall, however few there are', async () => {
    const random = seededRandom('recall-filter');
    await store(
      Array.from({ length: 400 }, (_, at) =>
        newMemory({
          id: `m${at}`,
          text: `tea ${at % 7} cup`,
          type: random.pick(['a', 'b', 'c']),
          importance: random.next(),
        }),
      ),
    );
    const engine = fixture.newEngine();
    for (const text of ['tea 3', '']) {
      const importance = text === '' ? 1 : 0;
      const weights = { keyword: 1, vector: 0, recency: 0, importance, session: 1 };
      const all = ids(engine.search(aQuery({ text, weights, limit: 400 })));
      for (const type of ['a', 'b', 'none']) {
        const target = { kind: 'field', field: 'type' } as const;
        const filter = { kind: 'comparison', target, operator: 'equals', values: [type], ignoreCase: false } as const;
        const read = { namespace: 'n', filter, order: 'create_time_asc', limit: 400, bytesMax: 1e9 } as const;
        const page = await fixture.store.list({ ...read, view: 'metadata', nowUs: 2 });
        const admitted = new Set(page.memories.map(({ id }) => id));
        const found = engine.search(aQuery({ text, weights, filter, limit: 400 }));
        expect(ids(found)).toEqual(all.filter((id) => admitted.has(id)));
      }
    }
  });

  it('looks past its first candidates when the filter refuses them', async () => {
    await store(Array.from({ length: 3000 }, (_, at) => newMemory({ id: `m${at}`, text: `tea ${at}` })));
    const target = { kind: 'field', field: 'text' } as const;
    const filter = { kind: 'comparison', target, operator: 'contains', values: ['2999'], ignoreCase: false } as const;
    expect(ids(fixture.newEngine().search(aQuery({ text: 'tea', filter })))).toEqual(['m2999']);
  });

  it('treats a scope as a condition', async () => {
    await store([
      newMemory({ id: 'a', text: 'tea', scope: { ...session('s'), agent: 'x' } }),
      newMemory({ id: 'b', text: 'tea', scope: { ...session('s'), agent: 'y' } }),
    ]);
    const scope = { project: '', agentType: '', agent: 'y', session: '' };
    expect(ids(fixture.newEngine().search(aQuery({ text: 'tea', scope })))).toEqual(['b']);
  });
});

describe('Recall when a lane fails', () => {
  const broken = {
    meanLength: () => 1,
    languages: () => [],
    documentFrequency(): number {
      throw new Error('no full-text index');
    },
    having(): void {
      throw new Error('no full-text index');
    },
    matches(): void {
      throw new Error('no full-text index');
    },
  };

  it('answers from the others and names it', async () => {
    await store([newMemory({ id: 'a', text: 'tea', embedding: { model: 't', values: Float32Array.of(1, 0) } })]);
    const engine = fixture.newEngine({ keywords: broken });
    const result = engine.search(aQuery({ text: 'tea', embedding: { model: 't', values: Float32Array.of(1, 1) } }));
    expect([ids(result), result.lanes, result.degraded.map(({ part }) => part)]).toEqual([
      ['a'],
      ['vector'],
      ['keyword'],
    ]);
    expect(fixture.faults).toEqual(['keyword']);
  });

  it('fails when there are no others', async () => {
    await store([newMemory({ id: 'a', text: 'tea' })]);
    expect(() => fixture.newEngine({ keywords: broken }).search(aQuery({ text: 'tea' }))).toThrow('no full-text index');
  });
});
