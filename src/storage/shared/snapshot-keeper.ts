import type { CommandLog } from '../command-log.ts';
import { storeSnapshot } from './view-snapshot.ts';

/** Growth of the log since its snapshot after which a new one is made; at least the size of the snapshot. */
const GROWN_BYTES = 64 << 20;
/** Time after which a server that has begun a snapshot is taken to be dead. */
const TURN_MS = 600_000;
/** Calls between two checks of the log, which grows little in that time. */
const LOOK_EVERY = 40;

/** Makes snapshots of the copy, so that old entries of the log can be deleted. */
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

  /** To be called repeatedly. Makes a snapshot when one is due, and no other server does. */
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

  /** The log keeps the entries since the previous snapshot, so that servers with a small lag can follow. */
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
