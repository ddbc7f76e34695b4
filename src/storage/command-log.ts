import type { SharedPosition } from './shared-position.ts';

/** An entry of the log: a command, as `shared/command-codec.ts` writes it. */
export interface CommandEntry {
  readonly position: number;
  /** Unlike that of any other entry. */
  readonly stamp: string;
  /** Stamp of the entry before it; empty before the first. */
  readonly follows: string;
  readonly command: Buffer;
}

/** A database as it was behind an entry of the log, in parts that are stored by themselves. */
export interface StoredSnapshot {
  readonly id: string;
  readonly position: number;
  readonly stamp: string;
  readonly parts: number;
}

/** The end of the log, and what it begins with. */
export interface CommandLogHead extends SharedPosition {
  readonly format: number;
  readonly snapshot: StoredSnapshot;
  /** Bytes of all commands that there ever were. */
  readonly writtenBytes: number;
  /** Those of them that were written before the snapshot. */
  readonly snapshotBytes: number;
}

/** Numbers what the commands of the log mean: a server that gives them another meaning must not follow it. */
export const FORMAT = 1;

/**
 * The log of commands that all servers carry out in its order, with a snapshot of the database that stands for what came before.
 * Every backend passes `test/conformance/command-log.suite.ts`. Each method is one step, and durable when it resolves; one that
 * writes may have taken effect where it fails with STORAGE_UNAVAILABLE.
 */
export interface CommandLog {
  /** `undefined` where there is no log. */
  head(): Promise<CommandLogHead | undefined>;
  /** The same, with the first entries behind a position. These are at least as new as the head. */
  read(
    after: number,
    limit: number,
  ): Promise<{ readonly head: CommandLogHead | undefined; readonly entries: CommandEntry[] }>;
  /**
   * Appends commands, one behind the other, to a log that has been followed up to a place, and with `isEnd` ends there. Gives the
   * position of the first and the stamp before it; `undefined`, and nothing is done, where the log lacks that place.
   */
  append(
    followed: SharedPosition,
    commands: readonly Pick<CommandEntry, 'stamp' | 'command'>[],
    isEnd?: boolean,
  ): Promise<Pick<CommandEntry, 'position' | 'follows'> | undefined>;
  /**
   * Makes the log, which ends with the snapshot, and with the entries that lead to it. False, and nothing is done, where there is
   * one, or parts of the snapshot are missing.
   */
  begin(
    epoch: string,
    snapshot: StoredSnapshot,
    writtenBytes: number,
    entries?: readonly CommandEntry[],
  ): Promise<boolean>;
  /**
   * Puts a newer snapshot in the place of that of the head, and lets go of the entries before the older one. False, and nothing is
   * done, where another one is there by now.
   */
  replaceSnapshot(head: CommandLogHead, snapshot: StoredSnapshot, writtenBytes: number): Promise<boolean>;
  /** Stores a part of a snapshot; it goes by itself unless the log gets the snapshot soon. */
  putPart(snapshot: string, at: number, part: Buffer): Promise<void>;
  /** `undefined` where it is not there any more. */
  part(snapshot: string, at: number): Promise<Buffer | undefined>;

  /** Whether this server may make a snapshot now: one does at a time, until `endTurn` or for so long. */
  takeTurn(ms: number): Promise<boolean>;
  endTurn(): Promise<void>;
  /** Notes, for so long, how far a server has come in a log that is gone. */
  offer(server: string, position: number, ms: number): Promise<void>;
  /** The server that has come furthest; of several the last one in the order of names. */
  furthest(): Promise<string | undefined>;
}
