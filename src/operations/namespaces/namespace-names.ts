import type { MemoryStore } from '../../storage/memory-store.ts';

const NAMES_AT_ONCE = 500;

/** Names of all namespaces in order, read page by page: one that is made or deleted meanwhile may be among them or not. */
export async function* namespaceNames(store: Pick<MemoryStore, 'listNamespaces'>): AsyncGenerator<string> {
  let afterName = '';
  for (;;) {
    const page = await store.listNamespaces({ limit: NAMES_AT_ONCE, afterName });
    for (const { name } of page) yield name;
    if (page.length < NAMES_AT_ONCE) return;
    afterName = page.at(-1)?.name ?? '';
  }
}
