import { isOwnerChanged, MnemeError } from '../../memory/errors.ts';
import type { AgentDiff, AgentForked, AgentRestored, AgentSnapshot, AgentSnapshots } from '../agent-snapshots.ts';
import type { HotStore } from '../mirror-store.ts';
import type { Follower } from './follower.ts';
import type { Ownership } from './ownership.ts';

type Asked<K extends keyof AgentSnapshots> = Parameters<AgentSnapshots[K]>[0];

export interface TieredAgentSnapshotsOptions {
  /** Snapshots of the cold store, which has former states, those of the copies too. */
  readonly agents: AgentSnapshots;
  readonly hot: HotStore;
  readonly ownership: Ownership;
  readonly follower: Follower;
}

const ROUNDS_MAX = 20;

/** Snapshots over two stores: with complete copies, the cold store has all of their data. */
export class TieredAgentSnapshots implements AgentSnapshots {
  private readonly options: TieredAgentSnapshotsOptions;

  constructor(options: TieredAgentSnapshotsOptions) {
    this.options = options;
  }

  take(write: Asked<'take'>): Promise<AgentSnapshot> {
    const { agents, follower } = this.options;
    return follower.undisturbed(write.namespace, () => agents.take(write));
  }
  list(read: Asked<'list'>): Promise<AgentSnapshot[]> {
    return this.options.agents.list(read);
  }
  drop(write: Asked<'drop'>): Promise<void> {
    return this.options.agents.drop(write);
  }
  async diff(read: Asked<'diff'>): Promise<AgentDiff> {
    const { agents, follower } = this.options;
    await follower.catchUp(read.namespace);
    return agents.diff(read);
  }
  /** The cold store first becomes the owner of the changed memories, and nothing is copied in between. */
  async restore(write: Asked<'restore'>): Promise<AgentRestored> {
    const { agents, hot, ownership, follower } = this.options;
    const { namespace, id, atUs } = write;
    for (let rounds = 0; rounds < ROUNDS_MAX; rounds++) {
      const step = await follower.undisturbed(namespace, async () => {
        const { added, removed, changed } = await agents.diff({ namespace, id, nowUs: atUs });
        const ids = [...added, ...removed, ...changed];
        const { memories } = await hot.find({ namespace, ids, view: 'metadata' });
        if (memories.size > 0) return { hotIds: [...memories.keys()] };
        try {
          return { restored: await agents.restore({ ...write, mustOwn: true }) };
        } catch (error) {
          if (!isOwnerChanged(error)) throw error;
          return { changedIds: ids };
        }
      });
      if ('restored' in step) return step.restored;
      if ('changedIds' in step) {
        await ownership.settle(namespace, step.changedIds);
        continue;
      }
      const damaged = await ownership.takeOver(namespace, step.hotIds);
      const [first] = damaged;
      if (first !== undefined) throw damagedMemory(namespace, first);
    }
    throw new MnemeError('OVERLOADED', 'memories of the agent change faster than they can be restored');
  }
  /** New memories are in no other store: the cold store owns them. */
  fork(write: Asked<'fork'>): Promise<AgentForked> {
    const { agents, follower } = this.options;
    return follower.undisturbed(write.namespace, () => agents.fork(write));
  }
}

function damagedMemory(namespace: string, id: string): MnemeError {
  const name = `namespaces/${namespace}/memories/${id}`;
  return new MnemeError('CHECKSUM_MISMATCH', `${name} cannot be restored: it failed checksum verification`, {
    metadata: { name },
  });
}
