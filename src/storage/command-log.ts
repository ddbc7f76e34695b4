import type { Fence } from './job-fence.ts';
import type { LeaseTable } from './job-leases.ts';
import type { SharedPosition } from './shared-position.ts';

/** An entry of the log: a command in the form of `shared/command-codec.ts`. */
export interface CommandEntry {
  readonly position: number;
  /** Unique name of the entry. */
  readonly stamp: string;
  /** Stamp of the previous entry; empty for the first. */
  readonly follows: string;
  readonly command: Buffer;
}

/** A copy of the database after an entry of the log, in parts that are stored separately. */
export interface StoredSnapshot {
  readonly id: string;
  readonly position: number;
  readonly stamp: string;
  readonly parts: number;
}

/** The end of the log, and its snapshot. */
export interface CommandLogHead extends SharedPosition {
  readonly format: number;
  readonly snapshot: StoredSnapshot;
  /** Total bytes of all commands, including deleted ones. */
  readonly writtenBytes: number;
  /** Total bytes of the commands before the snapshot. */
  readonly snapshotBytes: number;
}

/**
 * Version of the semantics of the commands: a server with a lower version must not follow the log. 2: storing erases
 * memories in the same command.
 */
export const FORMAT = 2;

/**
 * The command log, which all servers execute in order, with a snapshot of the database in place of earlier commands.
 * Every backend passes `test/conformance/command-log.suite.ts`. Each method is atomic, and durable when it resolves; a
 * write that fails with STORAGE_UNAVAILABLE may have taken effect.
 */
export interface CommandLog {
  /** Of the jobs of the servers that execute the log. */
  readonly leases: LeaseTable;
  /** `undefined` without a log. */
  head(): Promise<CommandLogHead | undefined>;
  /** The head with the first entries after a position. The entries are at least as new as the head. */
  read(
    after: number,
    limit: number,
  ): Promise<{ readonly head: CommandLogHead | undefined; readonly entries: CommandEntry[] }>;
  /**
   * Appends commands in order to a log that this server has followed up to a place; with `isEnd`, only if the log ends
   * there. Returns the position of the first and the stamp before it; `undefined`, without changes, where the log lacks
   * that place. Fails with LeasesLost, without changes, where one of the fences is not the latest taking of its job.
   */
  append(
    followed: SharedPosition,
    commands: readonly Pick<CommandEntry, 'stamp' | 'command'>[],
    isEnd?: boolean,
    fences?: readonly Fence[],
  ): Promise<Pick<CommandEntry, 'position' | 'follows'> | undefined>;
  /**
   * Creates the log with the snapshot and the entries that lead to it. Returns false, without changes, where a log
   * exists or parts of the snapshot are missing.
   */
  begin(
    epoch: string,
    snapshot: StoredSnapshot,
    writtenBytes: number,
    entries?: readonly CommandEntry[],
  ): Promise<boolean>;
  /**
   * Replaces the snapshot of the head by a newer one, and deletes the entries before the older one. Returns false,
   * without changes, where the head has another snapshot by now.
   */
  replaceSnapshot(head: CommandLogHead, snapshot: StoredSnapshot, writtenBytes: number): Promise<boolean>;
  /** Raises a lower format of the log to that of this server, unless the log has another epoch by now. */
  raiseFormat(epoch: string): Promise<void>;
  /** Stores a part of a snapshot; it expires unless the log gets the snapshot soon. */
  putPart(snapshot: string, at: number, part: Buffer): Promise<void>;
  /** `undefined` where it is deleted. */
  part(snapshot: string, at: number): Promise<Buffer | undefined>;

  /** Whether this server may make a snapshot now: one server at a time may, until `endTurn` or the end of this time. */
  takeTurn(ms: number): Promise<boolean>;
  endTurn(): Promise<void>;
  /** Records, for this time, the position of a server in a lost log. */
  offer(server: string, position: number, ms: number): Promise<void>;
  /** The server with the highest position; of equal ones the last by name. */
  furthest(): Promise<string | undefined>;
}
