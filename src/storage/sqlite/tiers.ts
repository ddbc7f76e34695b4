import type {
  MembersRead,
  MoveOutcome,
  MoveWrite,
  NamespaceSize,
  TierMember,
  TierStore,
  TierTotal,
} from '../tier-store.ts';
import type { Commands } from './commands/command.ts';
import type { SqliteDatabase } from './database.ts';
import { maintainedAtUs, namespaceSize, tierMembers, tierSettings, tierTotals } from './queries/tiers.ts';

type TierVerb = 'move' | 'setTierSettings' | 'setMaintained';

/** Access to the writer and the database. */
interface Access {
  write<V extends TierVerb>(verb: V, write: Commands[V]['write']): Promise<Commands[V]['outcome']>;
  read<A>(query: (database: SqliteDatabase) => A): Promise<A>;
  /** The same for indexes and totals. */
  withUpkeep<A>(query: (database: SqliteDatabase) => A): Promise<A>;
}

/** The tiers of the SQLite store: a column of its memories, with an index by time in the tier. */
export class SqliteTiers implements TierStore {
  private readonly access: Access;

  constructor(access: Access) {
    this.access = access;
  }

  move(write: MoveWrite): Promise<MoveOutcome> {
    return this.access.write('move', write);
  }
  members(read: MembersRead): Promise<TierMember[]> {
    return this.access.withUpkeep((database) => tierMembers(database, read));
  }
  totals(namespace?: string): Promise<TierTotal[]> {
    return this.access.withUpkeep((database) => tierTotals(database, namespace));
  }
  size(namespace: string): Promise<NamespaceSize> {
    return this.access.withUpkeep((database) => namespaceSize(database, namespace));
  }
  tierSettings(namespace: string): Promise<ReadonlyMap<string, string>> {
    return this.access.read((database) => tierSettings(database, namespace));
  }
  setTierSettings(write: Commands['setTierSettings']['write']): Promise<void> {
    return this.access.write('setTierSettings', write);
  }
  setMaintained(write: Commands['setMaintained']['write']): Promise<void> {
    return this.access.write('setMaintained', write);
  }
  maintainedAtUs(namespace: string): Promise<number | undefined> {
    return this.access.read((database) => maintainedAtUs(database, namespace));
  }
}
