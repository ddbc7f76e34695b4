import type { CommandLog } from '../command-log.ts';
import { storeSnapshot } from './view-snapshot.ts';

/** A log that has grown by so much since its snapshot gets another one, or by as much as the snapshot takes. */
const GROWN_BYTES = 64 << 20;
/** Time after which a server that has begun a snapshot is taken to have died. */
const TURN_MS = 600_000;
/** Looks of a server that passes by between two questions: a log grows by as much in no less. */
const LOOK_EVERY = 40;

/** Makes snapshots of the copy, so that the log need not have everything that ever happened. */
export class SnapshotKeeper {
  private readonly log: CommandLog;
  private readonly folder: string;
  private readonly grownBytes: number;
  private looks = 0;
  private isMaking = false;
  private making: Promise<void> = Promise.resolve();

  constructor(log: CommandLog, folder: string, grownBytes = GROWN_BYTES) {
    this.log = log;
    this.folder = folder;
    this.grownBytes = grownBytes;
  }

  /** To be called again and again. Makes a snapshot where it is time, and no other server does. */
  async look(): Promise<void> {
    if (this.looks++ % LOOK_EVERY !== 0 || this.isMaking) return;
    this.isMaking = true;
    this.making = this.make().finally(() => {
      this.isMaking = false;
    });
    await this.making;
  }

  async settled(): Promise<void> {
    await this.making.catch(() => undefined);
  }

  /** The log keeps what came since the snapshot before: who is a little behind can follow. */
  async make(): Promise<void> {
    const head = await this.log.head();
    if (!head || head.writtenBytes - head.snapshotBytes < this.grownBytes) return;
    if (!(await this.log.takeTurn(TURN_MS))) return;
    try {
      await this.log.replaceSnapshot(head, await storeSnapshot(this.log, this.folder), head.writtenBytes);
    } finally {
      await this.log.endTurn();
    }
  }
}
