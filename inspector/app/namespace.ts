import { Store } from './store.ts';

/** Namespace of the links of the navigation: that of the last page that had one. */
export const namespaceNow = new Store('default');
