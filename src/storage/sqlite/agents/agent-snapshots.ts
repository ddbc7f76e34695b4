import type { AgentSnapshots } from '../../agent-snapshots.ts';
import type { SqliteMemoryStore } from '../memory-store.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { snapshotOf, snapshotsAfter } from './snapshot-rows.ts';

/** Snapshots in the database of the memories. */
export function sqliteAgentSnapshots(store: Pick<SqliteMemoryStore, 'write' | 'read' | 'scan'>): AgentSnapshots {
  return {
    take: (write) => store.write({ kind: 'takeSnapshot', ...write }),
    list: ({ namespace, limit, afterId = '' }) =>
      store.read((database) => {
        const { key } = namespaceOf(database, namespace);
        return snapshotsAfter(database).all({ namespace_key: key, id: afterId, limit }).map(snapshotOf);
      }),
    drop: (write) => store.write({ kind: 'dropSnapshot', ...write }),
    // Reads all memories of an agent, so it has a thread of its own.
    diff: (read) => store.scan({ kind: 'diffAgent', read }),
    restore: (write) => store.write({ kind: 'restoreAgent', ...write }),
    fork: (write) => store.write({ kind: 'forkAgent', ...write }),
  };
}
