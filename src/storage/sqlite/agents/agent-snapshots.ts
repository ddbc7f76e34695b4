import type { AgentDiff, AgentForked, AgentRestored, AgentSnapshot, AgentSnapshots } from '../../agent-snapshots.ts';
import type { SqliteMemoryStore } from '../memory-store.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { snapshotOf, snapshotsAfter } from './snapshot-rows.ts';

type Asked<K extends keyof AgentSnapshots> = Parameters<AgentSnapshots[K]>[0];

/** Snapshots in the database of the memories. */
export class SqliteAgentSnapshots implements AgentSnapshots {
  private readonly store: Pick<SqliteMemoryStore, 'write' | 'read' | 'scan'>;

  constructor(store: Pick<SqliteMemoryStore, 'write' | 'read' | 'scan'>) {
    this.store = store;
  }

  take(write: Asked<'take'>): Promise<AgentSnapshot> {
    return this.store.write({ kind: 'takeSnapshot', ...write });
  }
  list({ namespace, limit, afterId = '' }: Asked<'list'>): Promise<AgentSnapshot[]> {
    return this.store.read((database) => {
      const { key } = namespaceOf(database, namespace);
      return snapshotsAfter(database).all({ namespace_key: key, id: afterId, limit }).map(snapshotOf);
    });
  }
  drop(write: Asked<'drop'>): Promise<void> {
    return this.store.write({ kind: 'dropSnapshot', ...write });
  }
  /** Reads all memories of an agent, so it has a thread of its own. */
  diff(read: Asked<'diff'>): Promise<AgentDiff> {
    return this.store.scan({ kind: 'diffAgent', read });
  }
  restore(write: Asked<'restore'>): Promise<AgentRestored> {
    return this.store.write({ kind: 'restoreAgent', ...write });
  }
  fork(write: Asked<'fork'>): Promise<AgentForked> {
    return this.store.write({ kind: 'forkAgent', ...write });
  }
}
