import type { Idempotency } from '../../memory/call.ts';
import { type Thrown, toThrown } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import { monotonicMs, type WorkTime } from '../../search/threads/span.ts';
import { Changes } from './changes.ts';
import type { Command, Verb } from './commands/command.ts';
import { hasLeftovers } from './commands/erase-leftovers.ts';
import { runCommand } from './commands/run-command.ts';
import { compactLostEntries } from './damage/lost-entries.ts';
import type { SqliteDatabase } from './database.ts';
import { DiskSpace } from './disk-space.ts';
import { isDiskFull, isPageDamage, isStatementError, translated } from './driver-error.ts';
import { keepRecord, keptOutcome, outcomeIn, pruneOutcomes, recordFor } from './idempotency.ts';
import { LinkedFiles } from './linked-files.ts';
import { restoreUpkeep } from './restore-upkeep.ts';
import type { UpkeepMode } from './upkeep.ts';

export type Answer = { readonly outcome: unknown } | { readonly thrown: Thrown };

export interface BatchAnswer {
  /** One answer for each command, in order. */
  readonly answers: readonly Answer[];
  /** Newest durable revision. */
  readonly revision: number;
  /** True while deleted namespaces have rows to erase. */
  readonly hasLeftovers: boolean;
  /** True while transactions have left upkeep; see `upkeep.ts`. */
  readonly isBehind: boolean;
  /** At the opening: entries of the change log were lost, and it is compacted up to them. */
  readonly hasLostEntries?: true;
}

/** Batches that run with a savepoint per command after a batch with a failed command. */
const CAREFUL_BATCHES = 16;

/** Runs batches of commands, each batch in one transaction that is on disk when it returns. */
export class Writer {
  private readonly database: SqliteDatabase;
  private readonly changes: Changes;
  private readonly retentionUs: Micros;
  private readonly sql;
  private carefulBatches = 0;
  private mode: UpkeepMode = 'all';
  private hasLeftovers = false;
  private readonly files: LinkedFiles;
  private readonly space: DiskSpace;
  private isCutOff = false;
  private readonly hasLostEntries: boolean;
  /** The last COMMIT. */
  commitTime: WorkTime | undefined;

  /** `term`: name of the writes to the change log of this opening of the folder. */
  constructor(database: SqliteDatabase, options: { retentionUs: Micros; term: string; nowMs?: () => number }) {
    this.files = new LinkedFiles(database.name);
    this.database = database;
    this.space = new DiskSpace(database);
    this.hasLostEntries = compactLostEntries(database);
    this.changes = new Changes(database, options.term, options.nowMs);
    this.retentionUs = options.retentionUs;
    restoreUpkeep(this.changes, this.hasLostEntries);
    this.sql = {
      begin: database.prepare('BEGIN IMMEDIATE'),
      commit: database.prepare('COMMIT'),
      save: database.prepare('SAVEPOINT command'),
      release: database.prepare('RELEASE command'),
      undo: database.prepare('ROLLBACK TO command'),
      undoAll: database.prepare('ROLLBACK'),
    };
  }

  /** `mayWait`: the upkeep of new memories may be left to a later transaction. */
  execute(commands: readonly Command[], mayWait = false): BatchAnswer {
    this.mode = modeOf(commands, mayWait);
    let answers: readonly Answer[];
    try {
      if (this.isCutOff) this.checkFiles();
      answers = this.inOneGo(commands) ?? this.transaction(commands, (command) => this.runAlone(command));
      if (commands.length > 0) this.checkFiles();
    } catch (error) {
      this.undoAll();
      answers = isDiskFull(error) ? this.onFullDisk(commands) : commands.map(() => thrownBy(error));
    }
    return this.stateWith(answers, !commands.every(leavesNoRows));
  }

  /** State of the store after the opening. */
  get state(): BatchAnswer {
    return { ...this.stateWith([], true), ...(this.hasLostEntries && { hasLostEntries: true }) };
  }

  private stateWith(answers: readonly Answer[], mayHaveLeftovers: boolean): BatchAnswer {
    const { log, upkeep } = this.changes;
    if (mayHaveLeftovers) this.hasLeftovers = this.findLeftovers();
    return { answers, revision: log.revision, hasLeftovers: this.hasLeftovers, isBehind: upkeep.isBehind };
  }

  /** Rows that cannot be erased, as their pages are damaged, are left. */
  private findLeftovers(): boolean {
    try {
      return hasLeftovers(this.database);
    } catch (error) {
      if (!isPageDamage(error)) throw error;
      return false;
    }
  }

  /**
   * Without savepoints, which take a sixth of the time of a small write: SQLite copies each page at its first change
   * after a savepoint. When a command fails, the whole transaction is rolled back, and `undefined` means that each
   * command is to run separately.
   */
  private inOneGo(commands: readonly Command[]): readonly Answer[] | undefined {
    if (this.carefulBatches > 0 && commands.length > 1) {
      this.carefulBatches--;
      return undefined;
    }
    try {
      return this.transaction(commands, (command) => ({ outcome: this.runOnce(command) }));
    } catch (error) {
      if (!isStatementError(error)) throw error;
      this.undoAll();
      if (commands.length === 1) return [thrownBy(error)];
      this.carefulBatches = CAREFUL_BATCHES;
      return undefined;
    }
  }

  /** On a full disk each command has a transaction of its own, with the reserve as far as it may use it. */
  private onFullDisk(commands: readonly Command[]): readonly Answer[] {
    this.mode = 'all';
    try {
      this.space.relieve();
      const answers = commands.map((command) => this.runOnFullDisk(command));
      this.checkFiles();
      return answers;
    } catch (error) {
      return commands.map(() => thrownBy(error));
    }
  }

  private runOnFullDisk(command: Command): Answer {
    const alone = (): Answer =>
      this.undoneOnFailure(() => {
        const [answer] = this.transaction([command], (one) => ({ outcome: this.runOnce(one) }));
        return answer as Answer;
      });
    try {
      return alone();
    } catch (error) {
      if (!isDiskFull(error)) return thrownBy(error);
    }
    try {
      return this.space.lend(command.kind, alone);
    } catch (error) {
      return thrownBy(error);
    }
  }

  private undoneOnFailure<A>(run: () => A): A {
    try {
      return run();
    } catch (error) {
      this.undoAll();
      throw error;
    }
  }

  /** Fails where the transaction is in files that are no longer those of the folder. */
  private checkFiles(): void {
    this.isCutOff = true;
    this.files.check();
    this.isCutOff = false;
  }

  private transaction(commands: readonly Command[], run: (command: Command) => Answer): readonly Answer[] {
    const { changes } = this;
    this.sql.begin.run();
    changes.upkeep.begin(this.mode);
    const result = commands.map(run);
    changes.upkeep.finish();
    changes.sessions.save();
    changes.upkeep.finishLog();
    this.space.beforeCommit();
    const startedAtMs = monotonicMs();
    this.sql.commit.run();
    this.commitTime = { startedAtMs, endedAtMs: monotonicMs() };
    changes.upkeep.committed();
    return result;
  }

  /** A failed command is rolled back alone; an error of the whole database ends the batch. */
  private runAlone(command: Command): Answer {
    const { changes } = this;
    const revision = changes.log.revision;
    const { counts } = changes.upkeep;
    this.sql.save.run();
    try {
      const outcome = this.runOnce(command);
      this.sql.release.run();
      return { outcome };
    } catch (error) {
      if (!isStatementError(error)) throw error;
      this.sql.undo.run();
      this.sql.release.run();
      changes.undone(revision);
      changes.upkeep.keepFirst(counts);
      return thrownBy(error);
    }
  }

  /** Returns the first outcome where the command has already run. */
  private runOnce(command: Command): unknown {
    const claim = claimOf(command);
    if (!claim) return runCommand(this.changes, command);
    const { namespace, idempotency, atUs } = claim;
    const { log, upkeep, outcomes } = this.changes;
    const unsettled = outcomes.find(namespace, idempotency.requestId);
    const kept = unsettled
      ? outcomeIn(unsettled, idempotency, atUs)
      : keptOutcome(this.database, namespace, idempotency, atUs);
    if (kept) return kept.outcome;
    const { revision } = log;
    const outcome = runCommand(this.changes, command);
    const toKeep = (command.kind === 'delete' ? command.outcomeToKeep : undefined) ?? outcome;
    const record = recordFor(namespace, idempotency, toKeep, atUs + this.retentionUs);
    if (upkeep.mayWait && log.revision > revision) outcomes.add(log.revision, record);
    else keepRecord(this.database, record);
    pruneOutcomes(this.database, atUs);
    return outcome;
  }

  private undoAll(): void {
    if (this.database.inTransaction) this.sql.undoAll.run();
    const { changes } = this;
    const isKnown = changes.upkeep.undone();
    changes.sessions.clear();
    changes.log.reload();
    changes.undone(changes.log.revision);
    if (!isKnown) restoreUpkeep(changes);
  }
}

function thrownBy(error: unknown): Answer {
  return { thrown: toThrown(translated(error)) };
}

const VERBS_LEAVING_NO_ROWS: ReadonlySet<Verb> = new Set<Verb>([
  'store',
  'update',
  'delete',
  'touch',
  'setEmbeddings',
  'writeUpkeep',
  'settleSome',
]);

/** True of commands that leave no rows to erase. */
function leavesNoRows({ kind }: Command): boolean {
  return VERBS_LEAVING_NO_ROWS.has(kind);
}

/** One slice goes alone: another command finds all upkeep written. */
function modeOf(commands: readonly Command[], mayWait: boolean): UpkeepMode {
  if (commands.length === 1 && commands[0]?.kind === 'settleSome') return 'slice';
  return mayWait && commands.every(isOfNewMemories) ? 'leave' : 'all';
}

/** True of commands whose entries in the log may be of new memories alone. */
function isOfNewMemories({ kind }: Command): boolean {
  return kind === 'store';
}

interface Claim {
  readonly namespace: string;
  readonly idempotency: Idempotency;
  readonly atUs: Micros;
}

function claimOf(command: Command): Claim | undefined {
  if (!('idempotency' in command) || !command.idempotency) return undefined;
  const { idempotency, atUs } = command;
  return { namespace: 'namespace' in command ? command.namespace : command.name, idempotency, atUs };
}
