import type { ExtractionPolicy } from '../../../memory/extraction-settings.ts';
import type { Micros } from '../../../memory/memory.ts';

/** A message that waits for extraction. */
export interface PendingMessage {
  readonly sequence: number;
  /** Of its text, about. */
  readonly tokens: number;
  readonly arrivedAtUs: Micros;
  /** Changes in the log that are acknowledged with it; none for a message that was found by a scan, or is tried again. */
  readonly revisions: readonly number[];
  /** Does not wait for a trigger. */
  readonly isForced: boolean;
  /** It said something else before. */
  readonly isRevised?: boolean;
}

export type QueueState = 'idle' | 'pending' | 'extracting' | 'retrying' | 'failed';

/** Back-off after failures: doubles, less up to a half by chance. */
export const BACK_OFF = { firstMs: 500, maxMs: 300_000 } as const;
/** Returns of a batch in a row after which it waits as after a failure. */
const RETURNS_MAX = 3;

/** Time for which a batch may wait for calm. */
const CALM_MAX_US = 1_000_000;

/** The pending messages of one conversation, and the state of its extraction. Time and randomness are injected. */
export class ConversationQueue {
  readonly conversation: string;
  private readonly waiting = new Map<number, PendingMessage>();
  private inHand: readonly PendingMessage[] = [];
  private tokens = 0;
  private lastArrivalUs = 0;
  private isForced = false;
  /**
   * After a failure messages are extracted one by one, so that a message that cannot be extracted does not block
   * others.
   */
  private isSplit = false;
  /** Failed attempts since the last success. */
  attempts = 0;
  /** Number of these caused by the messages or by the extracted results. */
  defects = 0;
  nextAttemptAtUs = 0;
  private returns = 0;
  /** Why the last attempt failed. */
  private lastError = '';
  /** Why the last dead letter could not be extracted. */
  failure = '';
  lastExtracted: number | undefined;
  /** Sequence numbers of dead letters. */
  readonly failed = new Set<number>();

  constructor(conversation: string) {
    this.conversation = conversation;
  }

  get isRunning(): boolean {
    return this.inHand.length > 0;
  }

  /** The batch in progress. */
  get running(): readonly PendingMessage[] {
    return this.inHand;
  }

  get pendingCount(): number {
    return this.waiting.size + this.inHand.length;
  }

  /** When the oldest message that waits, or is in progress, was read; `Infinity` without any. */
  get oldestAtUs(): Micros {
    let atUs = Number.POSITIVE_INFINITY;
    for (const { arrivedAtUs } of this.inHand) atUs = Math.min(atUs, arrivedAtUs);
    for (const { arrivedAtUs } of this.waiting.values()) atUs = Math.min(atUs, arrivedAtUs);
    return atUs;
  }

  /** Empty without a failure. */
  get error(): string {
    return this.lastError || (this.failed.size > 0 ? this.failure : '');
  }

  get state(): QueueState {
    if (this.isRunning) return 'extracting';
    if (this.waiting.size > 0) return this.attempts > 0 ? 'retrying' : 'pending';
    return this.failed.size > 0 ? 'failed' : 'idle';
  }

  add(message: PendingMessage): void {
    const before = this.waiting.get(message.sequence);
    const revisions = before ? [...before.revisions, ...message.revisions] : message.revisions;
    this.tokens += message.tokens - (before?.tokens ?? 0);
    this.waiting.set(message.sequence, { ...message, revisions, isRevised: isEitherRevised(before, message) });
    this.lastArrivalUs = Math.max(this.lastArrivalUs, message.arrivedAtUs);
    this.isForced ||= message.isForced;
  }

  /** All pending messages are due, whatever the triggers are and however long the back-off. */
  force(): void {
    if (this.waiting.size === 0 && !this.isRunning) return;
    this.isForced = true;
    this.nextAttemptAtUs = 0;
  }

  /** The extractor is back: a back-off that the messages did not cause ends. */
  resume(): void {
    if (this.defects === 0) this.nextAttemptAtUs = 0;
  }

  /** When the next batch is due; `Infinity` while nothing is pending, or one is in progress. */
  dueAtUs(policy: ExtractionPolicy): Micros {
    if (this.isRunning || this.waiting.size === 0) return Number.POSITIVE_INFINITY;
    return Math.max(this.nextAttemptAtUs, this.triggeredAtUs(policy));
  }

  /** Its next batch does not wait for calm: a caller waits for it, or its oldest message has waited long enough. */
  isUrgent(nowUs: Micros): boolean {
    const [oldest] = this.waiting.values();
    return oldest !== undefined && (this.isForced || nowUs - oldest.arrivedAtUs >= CALM_MAX_US);
  }

  private triggeredAtUs({ turns, tokens, intervalUs, idleUs }: ExtractionPolicy): Micros {
    if (this.isForced || this.attempts > 0) return 0;
    if (turns > 0 && this.waiting.size >= turns) return 0;
    if (tokens > 0 && this.tokens >= tokens) return 0;
    const [oldest] = this.waiting.values();
    const byInterval = intervalUs === undefined ? Number.POSITIVE_INFINITY : (oldest?.arrivedAtUs ?? 0) + intervalUs;
    const byIdle = idleUs === undefined ? Number.POSITIVE_INFINITY : this.lastArrivalUs + idleUs;
    return Math.min(byInterval, byIdle);
  }

  /** The next batch, by sequence; it is in hand until `succeed`, `fail` or `giveUp`. */
  take(countMax: number, tokensMax: number): readonly PendingMessage[] {
    const sorted = [...this.waiting.values()].sort((one, other) => one.sequence - other.sequence);
    const taken: PendingMessage[] = [];
    let tokens = 0;
    for (const message of sorted) {
      tokens += message.tokens;
      const isEnough = taken.length >= (this.isSplit ? 1 : countMax) || (taken.length > 0 && tokens > tokensMax);
      if (isEnough) break;
      taken.push(message);
      this.waiting.delete(message.sequence);
      this.tokens -= message.tokens;
    }
    this.inHand = taken;
    return taken;
  }

  succeed(): readonly PendingMessage[] {
    const done = this.release();
    this.reset();
    for (const { sequence } of done) {
      this.failed.delete(sequence);
      this.lastExtracted = Math.max(this.lastExtracted ?? 0, sequence);
    }
    if (this.waiting.size === 0) {
      this.isForced = false;
      this.isSplit = false;
    }
    return done;
  }

  /** The batch waits again, for longer after each failure. `isPassing`: the messages are not at fault. */
  fail(error: string, { isPassing, nowUs, random }: { isPassing: boolean; nowUs: Micros; random: number }): void {
    const isFirstSplit = !isPassing && this.inHand.length > 1 && !this.isSplit;
    this.putBack();
    this.attempts++;
    if (!isPassing) {
      this.defects = isFirstSplit ? 0 : this.defects + 1;
      this.isSplit = true;
      this.isForced = true;
    }
    this.lastError = error;
    const backOffMs = Math.min(BACK_OFF.firstMs * 2 ** Math.min(this.attempts - 1, 30), BACK_OFF.maxMs);
    this.nextAttemptAtUs = nowUs + Math.round(backOffMs * 1000 * (1 - random / 2));
  }

  /** The messages in progress are dead letters; later ones continue. */
  giveUp(error: string): readonly PendingMessage[] {
    const given = this.release();
    for (const { sequence } of given) this.failed.add(sequence);
    this.failure = error;
    this.reset();
    return given;
  }

  private reset(): void {
    this.returns = 0;
    this.attempts = 0;
    this.defects = 0;
    this.nextAttemptAtUs = 0;
    this.lastError = '';
  }

  /** The batch is due again at once; after several returns in a row it waits, as what returns it may be its content. */
  return(why: string, at: { nowUs: Micros; random: number }): void {
    this.isForced = true;
    if (++this.returns > RETURNS_MAX) this.fail(why, { isPassing: true, ...at });
    else this.putBack();
  }

  /** The batch in hand was not tried to its end. */
  putBack(): void {
    for (const message of this.release()) {
      const newer = this.waiting.get(message.sequence);
      // The same message was changed meanwhile: both changes are acknowledged with it.
      const revisions = newer ? [...message.revisions, ...newer.revisions] : message.revisions;
      if (newer) this.tokens -= newer.tokens;
      this.waiting.set(message.sequence, { ...message, revisions, isRevised: isEitherRevised(newer, message) });
      this.tokens += message.tokens;
    }
  }

  /** Another server has the conversation in hand: the batch waits until then. */
  postpone(untilUs: Micros): void {
    this.putBack();
    this.nextAttemptAtUs = Math.max(this.nextAttemptAtUs, untilUs);
  }

  /** Changes of the messages that wait or are in progress. */
  get revisions(): number[] {
    return [...this.inHand, ...this.waiting.values()].flatMap(({ revisions }) => revisions);
  }

  /** Drops messages that another server has extracted, as all of their changes are done; returns them. */
  settle(done: ReadonlySet<number>): readonly PendingMessage[] {
    const isDone = ({ revisions }: PendingMessage) => revisions.length > 0 && revisions.every((one) => done.has(one));
    const settled = [...this.inHand, ...this.waiting.values()].filter(isDone);
    this.inHand = this.inHand.filter((message) => !isDone(message));
    for (const message of settled) {
      const { sequence, tokens } = message;
      if (this.waiting.get(sequence) === message && this.waiting.delete(sequence)) this.tokens -= tokens;
      this.lastExtracted = Math.max(this.lastExtracted ?? 0, sequence);
    }
    if (settled.length > 0 && this.waiting.size + this.inHand.length === 0) {
      this.reset();
      this.isForced = false;
      this.isSplit = false;
    }
    return settled;
  }

  /** Whether any message up to a revision is pending or in progress. */
  hasUpTo(revision: number): boolean {
    const isUpTo = ({ revisions }: PendingMessage) => revisions.length === 0 || Math.min(...revisions) <= revision;
    return this.inHand.some(isUpTo) || [...this.waiting.values()].some(isUpTo);
  }

  private release(): readonly PendingMessage[] {
    const { inHand } = this;
    this.inHand = [];
    return inHand;
  }
}

function isEitherRevised(one: PendingMessage | undefined, other: PendingMessage): boolean {
  return one?.isRevised === true || other.isRevised === true;
}
