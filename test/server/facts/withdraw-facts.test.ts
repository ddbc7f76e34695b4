import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FACT_LIMITS } from '../../../src/memory/facts/fact-key.ts';
import { withdrawFacts } from '../../../src/server/operations/facts/withdraw-facts.ts';
import { newMemory } from '../../support/new-memory.ts';
import { call } from '../operations/support.ts';
import { BACKENDS, DAY_US, FactBench, heard, SPACE, START_US } from './support.ts';

const nameOf = (id: string) => `namespaces/${SPACE}/memories/${id}`;

describe.each(BACKENDS)('facts whose messages are removed (%s)', (backend) => {
  let bench: FactBench;
  beforeEach(async () => {
    bench = await FactBench.open(backend);
    const expiring = newMemory({ id: 'expiring', text: 'Rome', expiresAtUs: START_US + DAY_US });
    const memories = [expiring, ...['a', 'b'].map((id) => newMemory({ id, text: 'Rome' }))];
    const atUs = bench.clock.us;
    await bench.deps.store.write({
      kind: 'store',
      namespace: SPACE,
      memories,
      createNamespace: true,
      onConflict: 'fail',
      atUs,
    });
  });
  afterEach(() => bench.close());

  const hear = (...ids: string[]) => bench.assert(heard('Rome', '', { sources: ids.map(nameOf) }));
  const sources = async () => (await bench.list()).map(({ fact }) => fact.sources);
  async function remove(...ids: string[]): Promise<void> {
    const atUs = bench.clock.us;
    await bench.deps.store.write({ kind: 'delete', namespace: SPACE, ids, cause: 'deleted', mustExist: true, atUs });
    await withdrawFacts(bench.deps, SPACE, ids, call);
  }

  it('the first or another one › the fact cites the others; all of them › it is withdrawn', async () => {
    await hear('a', 'expiring', 'b');
    await remove('b');
    expect(await sources()).toEqual([[nameOf('a'), nameOf('expiring')]]);
    await remove('a');
    expect(await sources()).toEqual([[nameOf('expiring')]]);
    await remove('expiring');
    expect(await sources()).toEqual([]);
  });

  it('the first one has expired › it stays named until the others are removed: then the fact is withdrawn', async () => {
    await hear('expiring', 'a', 'b');
    bench.clock.us += 2 * DAY_US;
    await remove('a');
    expect(await sources()).toEqual([[nameOf('expiring'), nameOf('b')]]);
    await remove('b');
    expect(await sources()).toEqual([]);
  });

  it('that many facts of callers cite too › facts of extractors after them are withdrawn', async () => {
    const likes = Array.from({ length: 101 }, (_, at) => ({
      attribute: 'likes',
      value: `tea ${at}`,
      sources: [nameOf('a')],
    }));
    for (let from = 0; from < likes.length; from += FACT_LIMITS.claims)
      await bench.assert(...likes.slice(from, from + FACT_LIMITS.claims));
    bench.clock.us += 1;
    await hear('a');
    await remove('a');
    expect(await bench.values()).toEqual(likes.map(({ value }) => value).sort());
  });
});
