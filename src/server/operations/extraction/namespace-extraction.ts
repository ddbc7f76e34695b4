import { isMessage, isMessageId, MESSAGE_TYPE } from '../../../memory/conversation.ts';
import { isNamespaceMissing, MnemeError, namespaceNotFound } from '../../../memory/errors.ts';
import type { Memory } from '../../../memory/memory.ts';
import type { Change } from '../../../storage/change-log/change-log.ts';
import { compare } from '../memories/list-memories.ts';
import { leaseOf } from './conversation-leases.ts';
import type { ExtractionDeps } from './extraction-deps.ts';
import { ExtractionQueues, failureText } from './extraction-queues.ts';
import type { ExtractionStatus, FlushOutcome } from './extraction-status.ts';
import { LogIntake } from './log-intake.ts';
import { messagePages } from './message-pages.ts';
import { RemovedMessages } from './removed-messages.ts';

const SHOWN_MAX = 1000;
const CHARACTERS_PER_TOKEN = 4;
const LOOK_MS = 1000;
const BACK_OFF = { firstMs: 500, maxMs: 60_000 };

/** Extraction in one namespace, for as long as it is loaded: follows the log and queues the messages that it finds. */
export class NamespaceExtraction {
  readonly namespace: string;
  /** Called after every change of the status. */
  readonly listeners = new Set<() => void>();
  readonly queues: ExtractionQueues;
  private readonly deps: ExtractionDeps;
  private readonly removed: RemovedMessages;
  /** Queued changes, by revision, with their `origin`: repeated deliveries are skipped. */
  private readonly queued = new Map<number, number | undefined>();
  private readonly stopping = new AbortController();
  private readonly opened = Promise.withResolvers<void>();
  private intake: LogIntake | undefined;
  /** Every message in the log up to here is queued, or needs no extraction. */
  private readRevision = 0;
  private isPolicyStale = false;
  private isScanning = false;
  /** Everything in the log up to here is to be read, whether or not it is in the tail. */
  private wantedRevision = 0;
  /** Messages up to here do not wait for a trigger. */
  private forcedRevision = 0;
  private flushCount = 0;
  private isEnded = false;
  private idleSinceUs: number;
  private degraded = '';
  private wakeLoop: (() => void) | undefined;
  private isWoken = false;
  private saving: Promise<void> = Promise.resolve();
  private lookedAtUs = 0;

  /** `onReady` is called when a batch is due. */
  constructor(deps: ExtractionDeps, namespace: string, onReady: (namespace: NamespaceExtraction) => void) {
    this.deps = deps;
    this.namespace = namespace;
    this.idleSinceUs = deps.clock.nowUs();
    const hooks = {
      onReady: () => onReady(this),
      leaseOf: (conversation: string) => leaseOf(deps, this.intake, conversation),
      doneOf: (revisions: readonly number[]) => this.doneOf(revisions),
      onDone: (revisions: readonly number[]) => this.completed(revisions),
      onChange: () => this.noteChange(),
    };
    this.queues = new ExtractionQueues(deps, namespace, hooks, this.stopping.signal);
    const onWithdrawn = (revisions: readonly number[]) => {
      this.acknowledge(revisions);
      this.noteChange();
    };
    this.removed = new RemovedMessages(deps, namespace, onWithdrawn, this.stopping.signal);
  }

  /** Resolves when the log has been read to its end once, or could not be. */
  get ready(): Promise<void> {
    return this.opened.promise;
  }

  /** Woken after it has looked for the last time. */
  get hasMissed(): boolean {
    return this.isWoken && !this.stopping.signal.aborted;
  }

  /** Follows the log until the namespace is idle or deleted. Does not reject. */
  async run(): Promise<void> {
    const { signal } = this.stopping;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.follow(() => {
          failures = 0;
        });
        break;
      } catch (error) {
        if (signal.aborted || isNamespaceMissing(error)) break;
        failures++;
        this.degraded = failureText(error);
        this.deps.onFault(error, this.namespace);
        this.opened.resolve();
        this.tell();
        const backOffMs = Math.min(BACK_OFF.firstMs * 2 ** Math.min(failures - 1, 30), BACK_OFF.maxMs);
        await this.sleep(backOffMs * (1 - this.deps.timing.random() / 2));
      }
    }
    this.isEnded = true;
    this.queues.close();
    this.opened.resolve();
    this.tell();
  }

  /** Aborts running extractions. Their messages are extracted later. */
  stop(): void {
    this.stopping.abort(new MnemeError('DRAINING', 'the server is shutting down'));
    this.wake();
    this.tell();
  }

  readonly wake = (): void => {
    this.isWoken = true;
    this.wakeLoop?.();
  };

  /** Starts the next due batch within the limit; resolves when it is done. Does not reject. */
  startNext(isUrgentOnly: boolean): Promise<void> | undefined {
    return this.queues.startNext(isUrgentOnly);
  }

  force(conversation: string, throughSequence: number): void {
    this.queues.force(conversation, throughSequence);
    this.wake();
  }

  private async follow(onOpened: () => void): Promise<void> {
    const intake = await LogIntake.open(this.deps, this.namespace, this.wake);
    this.intake = intake;
    this.readRevision = 0;
    this.queued.clear();
    try {
      await this.queues.load();
      if (intake.isNew) await this.begin(intake);
      this.degraded = '';
      onOpened();
      await this.readAll(intake);
    } finally {
      this.intake = undefined;
      await intake.close();
    }
  }

  private async readAll(intake: LogIntake): Promise<void> {
    const { unloadMs } = this.deps.limits;
    while (!this.stopping.signal.aborted) {
      this.isWoken = false;
      const { position } = intake;
      const changes = await intake.take(this.wantedRevision).catch((error: unknown) => this.compacted(intake, error));
      for (const { change } of changes) this.admit(change);
      if (this.lookInMs(intake) === 0) await this.look();
      if (this.isPolicyStale) await this.refreshPolicy();
      const hasMore = changes.length > 0 || intake.position > position;
      this.queues.isFull = !hasMore && intake.isBehind;
      this.readRevision = changes.at(-1)?.change.revision ?? (this.queues.isFull ? this.readRevision : intake.position);
      this.queues.announce();
      if (hasMore) {
        await new Promise(setImmediate);
        continue;
      }
      this.opened.resolve();
      this.tell();
      if (this.isIdle && this.deps.clock.nowUs() - this.idleSinceUs >= unloadMs * 1000) return;
      if (!this.isWoken) await this.sleep(Math.min(intake.dueInMs, unloadMs, this.lookInMs(intake)));
    }
  }

  /** Time until it is looked what other servers have done of the messages that wait. */
  private lookInMs({ leases }: LogIntake): number {
    if (!leases || this.queues.pendingCount === 0) return Number.POSITIVE_INFINITY;
    return Math.max(0, LOOK_MS - (this.deps.clock.nowUs() - this.lookedAtUs) / 1000);
  }

  private get isIdle(): boolean {
    return (
      !this.isWoken &&
      this.flushCount === 0 &&
      this.listeners.size === 0 &&
      this.queues.pendingCount + this.removed.count === 0
    );
  }

  private async refreshPolicy(): Promise<void> {
    this.isPolicyStale = false;
    await this.queues.refreshPolicy();
  }

  /** Reads the log from its beginning where it has all messages, and otherwise scans for them. */
  private async begin(intake: LogIntake): Promise<void> {
    const { store, view, feed, clock } = this.deps;
    const { namespace } = this;
    const compacted = await feed.log.compactedRevision();
    const filters = [compare('type', 'equals', MESSAGE_TYPE), compare('revision', 'less_or_equal', compacted)];
    const filter = { kind: 'all', filters } as const;
    // Revisions of memories in a shared store are not those of this log.
    const isLost = store.isShared || (await view.count({ namespace, filter, nowUs: clock.nowUs() })).size > 0;
    if (compacted > 0 && isLost) await this.scan(intake, 0);
    else await intake.moveTo(compacted);
  }

  /** Messages whose changes the log no longer has are found by a scan. */
  private async compacted(intake: LogIntake, error: unknown): Promise<[]> {
    if (!(error instanceof MnemeError) || error.reason !== 'REVISION_COMPACTED') throw error;
    await this.scan(intake, this.deps.store.isShared ? 0 : Math.max(0, intake.durableRevision));
    return [];
  }

  /** Extracts from all messages that were written after a revision; the position stays where it is until all are done. */
  private async scan(intake: LogIntake, afterRevision: number): Promise<void> {
    const { signal } = this.stopping;
    const barrier = intake.newestRevision;
    this.isScanning = true;
    try {
      for await (const page of messagePages(this.deps, this.namespace, afterRevision)) {
        for (const memory of page) this.queueScanned(memory);
        this.queues.announce();
        while (this.queues.pendingCount > 0 && !signal.aborted) await this.sleep(Number.POSITIVE_INFINITY);
        if (signal.aborted) return;
      }
      await intake.moveTo(barrier);
    } finally {
      this.isScanning = false;
    }
  }

  private queueScanned(memory: Memory): void {
    const { step: sequence = 0, scope } = memory;
    if (!isMessage(memory)) return;
    const arrivedAtUs = this.deps.clock.nowUs();
    this.queues.add(scope.session, { sequence, tokens: 0, arrivedAtUs, revisions: [], isForced: true });
  }

  private admit({ revision, origin, kind, id, memory, former }: Change): void {
    if (kind === 'namespace_deleted') throw namespaceNotFound(this.namespace);
    if (kind === 'namespace_updated') this.isPolicyStale = true;
    const isNews = kind === 'stored' || (kind === 'updated' && former?.checksum !== memory?.checksum);
    if (kind === 'deleted' && isMessageId(id)) {
      if (!this.queued.has(revision)) this.removed.add(revision, id);
      this.queued.set(revision, origin);
      return;
    }
    if (!memory || !isNews || !isMessage(memory)) {
      this.acknowledge([revision]);
      return;
    }
    if (this.queued.has(revision)) return;
    this.queued.set(revision, origin);
    const { step: sequence = 0, scope, text } = memory;
    this.queues.add(scope.session, {
      sequence,
      tokens: Math.ceil(text.length / CHARACTERS_PER_TOKEN),
      arrivedAtUs: this.deps.clock.nowUs(),
      revisions: [revision],
      isForced: revision <= this.forcedRevision,
      isRevised: kind === 'updated',
    });
  }

  /** Other servers must see what is done before they have the lease. */
  private async completed(revisions: readonly number[]): Promise<void> {
    const { intake } = this;
    this.acknowledge(revisions);
    if (intake?.leases) await this.saving;
  }

  /** Of the changes, those that a server has completed. Revisions differ between servers; the `origin` of a change does not. */
  private async doneOf(revisions: readonly number[]): Promise<ReadonlySet<number>> {
    const { intake, queued } = this;
    if (!intake?.leases) return new Set();
    const origins = revisions.flatMap((revision) => queued.get(revision) ?? []);
    const done = await intake.leases.doneOf(intake.subscriptionKey, origins);
    return new Set(revisions.filter((revision) => done.has(queued.get(revision) ?? Number.NaN)));
  }

  /** What other servers have done of the messages that wait. */
  private async look(): Promise<void> {
    await this.queues.look();
    this.lookedAtUs = this.deps.clock.nowUs();
  }

  /** What other servers have extracted, and could not. */
  async refresh(): Promise<void> {
    if (!this.intake?.leases) return;
    await this.look();
    await this.queues.loadDeadLetters();
  }

  /** The position is written soon after; changes that are acknowledged meanwhile go with the next write. */
  private acknowledge(revisions: readonly number[]): void {
    const { intake } = this;
    if (!intake || this.isScanning || revisions.length === 0) return;
    intake.acknowledge(revisions);
    for (const revision of revisions) this.queued.delete(revision);
    const onFault = (error: unknown) => this.deps.onFault(error, this.namespace);
    this.saving = intake.saveSoon(onFault).finally(() => this.tell());
  }

  private noteChange(): void {
    this.idleSinceUs = this.deps.clock.nowUs();
    this.wake();
    this.tell();
  }

  private tell(): void {
    for (const listener of [...this.listeners]) listener();
  }

  /** Until it is woken, at most so long. */
  private async sleep(ms: number): Promise<void> {
    if (this.stopping.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = ms < Number.POSITIVE_INFINITY ? this.deps.timing.setTimer(resolve, ms) : undefined;
    this.wakeLoop = resolve;
    await promise;
    this.wakeLoop = undefined;
    cancel?.();
  }

  /** Of all conversations that are not idle, or of one. */
  status(conversation: string): ExtractionStatus {
    const { queues, intake, deps } = this;
    const shown = queues.of(conversation).filter(({ state }) => conversation !== '' || state !== 'idle');
    return {
      extractor: queues.extractorName,
      pendingCount: queues.pendingCount,
      failedCount: queues.failedCount,
      conversations: shown.slice(0, SHOWN_MAX).map((queue) => queues.statusOf(queue)),
      extractedRevision: Math.max(0, intake?.durableRevision ?? 0),
      newestRevision: deps.feed.log.revision,
      degraded: this.degraded || (this.isScanning ? 'messages that were stored before are being read' : ''),
    };
  }

  /** Extracts everything up to a revision; resolves when it is done or the signal is aborted. */
  async flush(throughRevision: number, conversation: string, signal: AbortSignal): Promise<FlushOutcome> {
    this.wantedRevision = Math.max(this.wantedRevision, throughRevision);
    this.forcedRevision = Math.max(this.forcedRevision, throughRevision);
    this.flushCount++;
    const { queues } = this;
    for (const queue of queues.of(conversation)) queue.force();
    this.wake();
    queues.announce();
    const isDone = () =>
      this.hasRead(throughRevision) &&
      !this.removed.hasUpTo(throughRevision) &&
      !queues.of(conversation).some((queue) => queue.hasUpTo(throughRevision));
    try {
      while (!isDone() && !signal.aborted && !this.isEnded) await this.nextChange(signal);
    } finally {
      this.flushCount--;
    }
    const left = queues.of(conversation).filter(({ state }) => state !== 'idle');
    return {
      isComplete: isDone() && left.every(({ failed }) => failed.size === 0),
      conversations: left.slice(0, SHOWN_MAX).map((queue) => queues.statusOf(queue)),
      pendingCount: left.reduce((sum, queue) => sum + queue.pendingCount, 0),
      degraded: this.status('').degraded,
    };
  }

  /** Resolves when everything up to a revision has been read, or waiting for it is impossible. */
  async readThrough(revision: number, signal: AbortSignal): Promise<void> {
    this.wantedRevision = Math.max(this.wantedRevision, revision);
    this.wake();
    const isHeldUp = () => this.isScanning || this.degraded !== '' || this.isEnded;
    while (!this.hasRead(revision) && !isHeldUp() && !signal.aborted) await this.nextChange(signal);
  }

  private hasRead(revision: number): boolean {
    return this.intake !== undefined && !this.isScanning && this.readRevision >= revision;
  }

  /** Resolves after the next change of the status, or when the signal is aborted. */
  async nextChange(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const onAbort = () => resolve();
    this.listeners.add(resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    if (!signal.aborted) await promise;
    signal.removeEventListener('abort', onAbort);
    this.listeners.delete(resolve);
  }
}
