/** Reports of the programs, one object a line; see README.md. */
interface Told {
  readonly ready?: true;
}

export interface IngesterTold extends Told {
  readonly broken?: string;
  readonly acknowledged?: number;
  readonly stored?: number;
  readonly existing?: number;
  readonly refused?: number;
}

export interface AgentTold extends Told {
  readonly failed?: string;
  readonly number?: number;
  readonly stored?: string;
}

export interface SubscriberTold extends Told {
  readonly broken?: string;
  readonly seen?: string;
}

export interface RecallerTold extends Told {
  /** Ids of the facts that it asks for. */
  readonly facts?: readonly string[];
  readonly right?: string;
  readonly wrong?: string;
  readonly failed?: string;
}

/** A program whose calls may fail while the server is down. */
type Caller = 'agent' | 'recaller';

/** The reports of all programs, and the memories of the server at the end. */
export class Account {
  readonly ingester = { acknowledged: 0, stored: 0, existing: 0, refused: 0, brokenCount: 0, seconds: 0 };
  /** `ids`: of its stored memories, in the order of their numbers. */
  readonly agent = { ids: [] as string[], failedCount: 0, seconds: 0 };
  readonly subscriber = { seen: [] as string[], brokenCount: 0, seconds: 0 };
  /** `rightCounts`: one for each life of the server. */
  readonly recaller = { factIds: [] as string[], rightCounts: [0], wrong: [] as string[], failedCount: 0, seconds: 0 };
  /** Calls that failed while the server was up. */
  readonly untimely: string[] = [];
  readonly kills: { readonly acknowledged: number; readonly downMs: number }[] = [];
  /** Texts by id. */
  readonly found = new Map<string, string>();
  /** Id of the memory that was stored last. */
  lastId = '';
  private isDown = false;
  /** Programs with a call that began while the server was down and may not have ended yet. */
  private readonly mayStillFail = new Set<Caller>();

  hearIngester({ broken, acknowledged, stored = 0, existing = 0, refused = 0 }: IngesterTold): void {
    if (broken !== undefined) this.ingester.brokenCount += 1;
    if (acknowledged !== undefined) Object.assign(this.ingester, { acknowledged, stored, existing, refused });
  }

  hearAgent({ failed, number, stored }: AgentTold): void {
    if (failed !== undefined) this.noteFailure('agent', failed);
    if (number === undefined || stored === undefined) return;
    this.agent.ids[number - 1] = stored;
    this.noteSuccess('agent');
  }

  hearSubscriber({ broken, seen }: SubscriberTold): void {
    if (broken !== undefined) this.subscriber.brokenCount += 1;
    if (seen !== undefined) this.subscriber.seen.push(seen);
  }

  hearRecaller({ facts = [], right, wrong, failed }: RecallerTold): void {
    const { recaller } = this;
    recaller.factIds.push(...facts);
    if (failed !== undefined) this.noteFailure('recaller', failed);
    if (wrong !== undefined) recaller.wrong.push(wrong);
    if (right === undefined) return;
    recaller.rightCounts.push((recaller.rightCounts.pop() ?? 0) + 1);
    this.noteSuccess('recaller');
  }

  serverDies(): void {
    this.isDown = true;
    this.mayStillFail.add('agent').add('recaller');
  }

  serverLives(downMs: number, acknowledged: number): void {
    this.isDown = false;
    this.kills.push({ acknowledged, downMs });
    this.recaller.rightCounts.push(0);
  }

  /** Right answers since the server was started last. */
  get rightCount(): number {
    return this.recaller.rightCounts.at(-1) ?? 0;
  }

  private noteFailure(caller: Caller, code: string): void {
    this[caller].failedCount += 1;
    if (!this.isDown && !this.mayStillFail.has(caller)) this.untimely.push(`${caller}: ${code}`);
  }

  private noteSuccess(caller: Caller): void {
    if (!this.isDown) this.mayStillFail.delete(caller);
  }
}
