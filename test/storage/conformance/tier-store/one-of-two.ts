import { expect } from '@jest/globals';
import { newMemory } from '../../../support/new-memory.ts';
import type { WholeStore } from '../../../support/whole-store.ts';
import { because, NOW_US, put, SPACE } from '../memory-store/store-of-test.ts';

const IDS = Array.from({ length: 8 }, (_, at) => `n${at}`);

/** Stores each of some new ids in two tiers at the same time, through one store or two of the same records. */
export async function expectOneOf(one: WholeStore, other: WholeStore): Promise<void> {
  for (const [at, id] of IDS.entries()) {
    const tiers = at % 2 === 0 ? (['short_term', 'long_term'] as const) : (['long_term', 'intermediate'] as const);
    const writes = [one, other].map((store, place) => {
      const tier = tiers[place] ?? 'short_term';
      return put(store, [newMemory({ id, tier, text: `in ${tier}` })]).then(() => tier);
    });
    const outcomes = await Promise.allSettled(writes);
    const stored = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(refused).toMatchObject([because('MEMORY_EXISTS')]);
    for (const store of [one, other]) {
      const states = await store.revisions({ namespace: SPACE, id, limit: 9, nowUs: NOW_US });
      expect(states.map(({ memory }) => [memory.tier, memory.text])).toEqual(
        stored.map((tier) => [tier, `in ${tier}`]),
      );
    }
  }
}
