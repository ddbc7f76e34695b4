import type { MemoryStore } from '../../storage/memory-store.ts';

type Methods = Omit<MemoryStore, 'isShared' | 'revision'>;

/** Every method of a store. */
const NAMES: Readonly<Record<keyof Methods, true>> = {
  store: true,
  update: true,
  delete: true,
  touch: true,
  setEmbeddings: true,
  postponeEmbedding: true,
  createNamespace: true,
  updateNamespace: true,
  deleteNamespace: true,
  outcomeOf: true,
  getNamespace: true,
  listNamespaces: true,
  get: true,
  list: true,
  count: true,
  revisions: true,
  listScopes: true,
  reached: true,
  statistics: true,
  pendingEmbeddings: true,
  expired: true,
  describe: true,
  close: true,
};

/** A store with other methods in place of its own. */
export function withMethods(store: MemoryStore, others: Partial<Methods>): MemoryStore {
  const own = Object.fromEntries(
    Object.keys(NAMES).map((name) => [
      name,
      (...read: unknown[]) => (store[name as keyof Methods] as (...all: unknown[]) => unknown)(...read),
    ]),
  ) as unknown as Methods;
  return Object.defineProperty({ ...own, ...others, isShared: store.isShared, revision: 0 }, 'revision', {
    get: () => store.revision,
    enumerable: true,
  });
}
