import type { MirrorPosition } from '../hot-log.ts';
import type { Mirror, MirrorWrite } from '../mirror-store.ts';
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
import { hotOwnedIds, ownershipsOf } from './commands/ownership.ts';
import { mirrorPosition } from './commands/replay-entries.ts';
import type { SqliteDatabase } from './database.ts';
import { copiesOf, followedIds, knownIds } from './queries/get.ts';
import { hadNamespace } from './queries/log.ts';
import { maintainedAtUs, namespaceSize, tierMembers, tierSettings, tierTotals } from './queries/tiers.ts';

type TierVerb = 'move' | 'setTierSettings' | 'setMaintained' | 'mirror' | 'claim' | 'disclaim';

/** Access to the writer and the database. */
interface Access {
  write<V extends TierVerb>(verb: V, write: Commands[V]['write']): Promise<Commands[V]['outcome']>;
  read<A>(query: (database: SqliteDatabase) => A): Promise<A>;
  /** The same for indexes and totals. */
  withUpkeep<A>(query: (database: SqliteDatabase) => A): Promise<A>;
}

/** The tiers of the SQLite store: a column of its memories, with an index by time in the tier. */
export class SqliteTiers implements TierStore, Mirror {
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

  mirror(write: MirrorWrite): ReturnType<Mirror['mirror']> {
    return this.access.write('mirror', write);
  }
  mirrorPosition(namespace: string): Promise<MirrorPosition | undefined> {
    return this.access.read((database) => mirrorPosition(database, namespace));
  }
  hadNamespace(name: string): Promise<boolean> {
    return this.access.read((database) => hadNamespace(database, name));
  }
  known(read: Parameters<Mirror['known']>[0]): ReturnType<Mirror['known']> {
    return this.access.read((database) => knownIds(database, read));
  }
  followedIds(read: Parameters<Mirror['followedIds']>[0]): ReturnType<Mirror['followedIds']> {
    return this.access.read((database) => followedIds(database, read));
  }
  claim(write: Parameters<Mirror['claim']>[0]): ReturnType<Mirror['claim']> {
    return this.access.write('claim', write);
  }
  disclaim(write: Parameters<Mirror['disclaim']>[0]): ReturnType<Mirror['disclaim']> {
    return this.access.write('disclaim', write);
  }
  ownerships(read: Parameters<Mirror['ownerships']>[0]): ReturnType<Mirror['ownerships']> {
    return this.access.read((database) => ownershipsOf(database, read));
  }
  hotOwnedIds(read: Parameters<Mirror['hotOwnedIds']>[0]): ReturnType<Mirror['hotOwnedIds']> {
    return this.access.read((database) => hotOwnedIds(database, read));
  }
  copies(read: Parameters<Mirror['copies']>[0]): ReturnType<Mirror['copies']> {
    return this.access.read((database) => copiesOf(database, read));
  }
}
