import type { BaseStore } from '@langchain/langgraph-checkpoint';
import { itemCases } from './item-cases.ts';
import { namespaceCases } from './namespace-cases.ts';
import { queryCases } from './query-cases.ts';
import { randomCases } from './random-cases.ts';
import { searchCases } from './search-cases.ts';

/** The store that the cases are about. */
export interface StoreSuite {
  /** Makes an empty store. */
  createStore(): BaseStore | Promise<BaseStore>;
  /** Called after each case. */
  destroyStore?(store: BaseStore): void | Promise<void>;
  /** Seed of the random operations. Default 1. */
  readonly seed?: number;
  /** Random operations of each of the differential cases. Default 120. */
  readonly operationCount?: number;
  /** Whether a search with a query ranks items by their texts. Default true. */
  readonly ranksTexts?: boolean;
  /**
   * Whether namespaces are compared label by label, any character but a dot allowed. Default true; `InMemoryStore` joins
   * the labels with colons, so that `['users']` is a prefix of `['users2']`.
   */
  readonly comparesLabels?: boolean;
}

/** A case: `run` rejects with an `AssertionError` when the store does not conform. */
export interface StoreCase {
  readonly name: string;
  run(): Promise<void>;
}

/** The cases for a store, those left out whose capability it does not have. */
export function storeCases(suite: StoreSuite): StoreCase[] {
  const { seed = 1, operationCount = 120, ranksTexts = true, comparesLabels = true } = suite;
  const has = { ranksTexts, comparesLabels };
  const cases = [...itemCases, ...searchCases, ...namespaceCases, ...queryCases, ...randomCases(seed, operationCount)];
  return cases
    .filter(({ needs }) => needs === undefined || has[needs])
    .map(({ name, run }) => ({
      name,
      async run() {
        const store = await suite.createStore();
        try {
          await run(store);
        } finally {
          await suite.destroyStore?.(store);
        }
      },
    }));
}
