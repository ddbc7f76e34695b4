import { openViewedStore } from '../support/viewed-store.ts';

/** A process that evicts the only namespace of a view, and ends itself by SIGKILL: `node view-evict-child.ts URL SCHEMA FOLDER`. */
const [url = '', schema = '', folder = ''] = process.argv.slice(2);
const { store } = await openViewedStore({ url, schema, folder });
while (!(await store.follower.evictLeastUsed())) await new Promise(setImmediate);
process.kill(process.pid, 'SIGKILL');
