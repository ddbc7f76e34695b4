import type { ViewedOptions } from './viewed-options.ts';

const NAMESPACES_AT_ONCE = 1000;

/** Names of all namespaces of records or of a view, page by page. */
export async function* namesOf(store: Pick<ViewedOptions['view'], 'listNamespaces'>): AsyncGenerator<string> {
  for (let afterName: string | undefined; ; ) {
    const page = await store.listNamespaces({
      limit: NAMESPACES_AT_ONCE,
      afterName,
    });
    for (const { name } of page) yield name;
    afterName = page.at(-1)?.name;
    if (page.length < NAMESPACES_AT_ONCE) return;
  }
}
