import type { CommandOf, Commands, Verb } from './commands/command.ts';
import type { SqliteDatabase } from './database.ts';

/** The writer and the database of a folder, for the parts of its store. */
export interface SqliteAccess {
  write<V extends Verb>(command: CommandOf<V>): Promise<Commands[V]['outcome']>;
  /** Sees every write that was acknowledged before the call. */
  read<A>(query: (database: SqliteDatabase) => A): Promise<A>;
}
