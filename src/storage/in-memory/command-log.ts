import type { CommandEntry, CommandLog, CommandLogHead, StoredSnapshot } from '../command-log.ts';
import { FORMAT } from '../command-log.ts';
import { type Fence, LeasesLost } from '../job-fence.ts';
import type { SharedPosition } from '../shared-position.ts';
import { InMemoryLeaseTable } from './lease-table.ts';

interface State extends SharedPosition {
  readonly snapshot: StoredSnapshot;
  readonly writtenBytes: number;
  readonly snapshotBytes: number;
}

/** The command log in memory: the reference for the other backends. Nothing in it expires. */
export class InMemoryCommandLog implements CommandLog {
  readonly leases = new InMemoryLeaseTable();
  private state: State | undefined;
  private entries: CommandEntry[] = [];
  private readonly parts = new Map<string, Buffer>();
  private readonly offers = new Map<string, number>();
  private isTaken = false;

  async head(): Promise<CommandLogHead | undefined> {
    return this.state && { ...this.state, format: FORMAT };
  }

  async read(after: number, limit: number) {
    return {
      head: await this.head(),
      entries: this.entries.filter(({ position }) => position > after).slice(0, limit),
    };
  }

  async append(
    { epoch, position, stamp }: SharedPosition,
    commands: readonly Pick<CommandEntry, 'stamp' | 'command'>[],
    isEnd = false,
    fences: readonly Fence[] = [],
  ): Promise<Pick<CommandEntry, 'position' | 'follows'> | undefined> {
    const lost = fences.filter(({ job, number }) => this.leases.number(job) !== number);
    if (lost.length > 0) throw new LeasesLost(lost);
    const { state } = this;
    if (!state || state.epoch !== epoch || state.position < position) return undefined;
    if (state.position === position ? state.stamp !== stamp : isEnd) return undefined;
    const first = { position: state.position + 1, follows: state.stamp };
    let { position: last, stamp: follows, writtenBytes } = state;
    for (const { stamp: own, command } of commands) {
      this.entries.push({ position: ++last, stamp: own, follows, command: Buffer.from(command) });
      follows = own;
      writtenBytes += command.length;
    }
    this.state = { ...state, position: last, stamp: follows, writtenBytes };
    return first;
  }

  async begin(
    epoch: string,
    snapshot: StoredSnapshot,
    writtenBytes: number,
    entries: readonly CommandEntry[] = [],
  ): Promise<boolean> {
    if (this.state || !this.hasParts(snapshot)) return false;
    const { position, stamp } = snapshot;
    this.state = { epoch, position, stamp, snapshot, writtenBytes, snapshotBytes: writtenBytes };
    this.entries = [...entries];
    return true;
  }

  async replaceSnapshot(head: CommandLogHead, snapshot: StoredSnapshot, writtenBytes: number): Promise<boolean> {
    const { state } = this;
    const isSame = state?.epoch === head.epoch && state.snapshot.id === head.snapshot.id;
    if (!state || !isSame || !this.hasParts(snapshot)) return false;
    this.state = { ...state, snapshot, snapshotBytes: writtenBytes };
    this.entries = this.entries.filter(({ position }) => position > head.snapshot.position);
    return true;
  }

  async raiseFormat(): Promise<void> {
    // No process of another format has it.
  }

  async putPart(snapshot: string, at: number, part: Buffer): Promise<void> {
    this.parts.set(`${snapshot} ${at}`, Buffer.from(part));
  }
  async part(snapshot: string, at: number): Promise<Buffer | undefined> {
    return this.parts.get(`${snapshot} ${at}`);
  }

  async takeTurn(): Promise<boolean> {
    const isFree = !this.isTaken;
    this.isTaken = true;
    return isFree;
  }
  async endTurn(): Promise<void> {
    this.isTaken = false;
  }
  async offer(server: string, position: number): Promise<void> {
    this.offers.set(server, position);
  }
  async furthest(): Promise<string | undefined> {
    const order = [...this.offers].sort(([one, a], [other, b]) => a - b || (one < other ? -1 : 1));
    return order.at(-1)?.[0];
  }

  private hasParts({ id, parts }: StoredSnapshot): boolean {
    return Array.from({ length: parts }, (_, at) => this.parts.has(`${id} ${at}`)).every(Boolean);
  }
}
