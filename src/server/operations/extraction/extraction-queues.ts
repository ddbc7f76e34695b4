import { isNamespaceMissing, MnemeError } from '../../../memory/errors.ts';
import {
  DEFAULT_EXTRACTION_POLICY,
  type ExtractionPolicy,
  extractionPolicyOf,
} from '../../../memory/extraction-settings.ts';
import type { BatchOutcome } from '../../../memory/meters.ts';
import { type Capacity, ExtractionReturned } from '../../extraction/extractor.ts';
import { type ConversationLease, underLease } from './conversation-leases.ts';
import { ConversationQueue, type PendingMessage } from './conversation-queue.ts';
import { listDeadLetters, removeDeadLetters, storeDeadLetter } from './dead-letters.ts';
import { extractBatch } from './extract-batch.ts';
import type { ExtractionDeps } from './extraction-deps.ts';
import { type ConversationStatus, conversationStatus } from './extraction-status.ts';

export interface QueueHooks {
  /** A batch is due. */
  onReady(): void;
  /** The right to extract from a conversation; undefined while another server has it. */
  leaseOf(conversation: string): Promise<ConversationLease | undefined>;
  /** Of the changes that wait, by revision: those that a server has completed. */
  doneOf(revisions: readonly number[]): Promise<ReadonlySet<number>>;
  /** Messages are extracted or given up, and need no further delivery. Resolves when other servers see it. */
  onDone(revisions: readonly number[]): Promise<void>;
  /** The status has changed. */
  onChange(): void;
}

/** Conversations whose last extracted message is remembered. */
const IDLE_MAX = 1000;
const TIMER_MAX_MS = 60_000;
/** Time until it is looked again whether another server still extracts from a conversation. */
export const LEASE_LOOK_MS = 500;
/** Failures of the server's own parts, not of the message: tried again without end. */
const PASSING: ReadonlySet<string> = new Set([
  ...['EXTRACTOR_UNAVAILABLE', 'EMBEDDER_UNAVAILABLE', 'STORAGE_UNAVAILABLE', 'STORAGE_FULL', 'QUEUE_FULL'],
  ...['OVERLOADED', 'DRAINING', 'VERSION_MISMATCH'],
]);

/** The messages of a namespace that wait, by conversation, and their extraction in batches. */
export class ExtractionQueues {
  policy: ExtractionPolicy = DEFAULT_EXTRACTION_POLICY;
  /** Reading the log is held up by messages that wait for a trigger: then none is waited for. */
  isFull = false;
  private readonly deps: ExtractionDeps;
  private readonly namespace: string;
  private readonly hooks: QueueHooks;
  private readonly stopping: AbortSignal;
  private readonly queues = new Map<string, ConversationQueue>();
  /** Messages up to these sequence numbers do not wait for a trigger. */
  private readonly forced = new Map<string, number>();
  private settings: ReadonlyMap<string, string> = new Map();
  private runningCount = 0;
  /** Reason of the outage that was reported last; empty after a success. */
  private reported = '';
  private cancelTimer: (() => void) | undefined;

  constructor(deps: ExtractionDeps, namespace: string, hooks: QueueHooks, stopping: AbortSignal) {
    this.deps = deps;
    this.namespace = namespace;
    this.hooks = hooks;
    this.stopping = stopping;
  }

  get extractorName(): string {
    return this.deps.extractorOf(this.policy.extractor).name;
  }

  private get capacity(): Capacity {
    return this.deps.extractorOf(this.policy.extractor).capacity(this.namespace);
  }

  /** Extractions run elsewhere, and need no place among those of the server. */
  get isRemote(): boolean {
    return this.capacity !== 'server';
  }

  get pendingCount(): number {
    let count = 0;
    for (const queue of this.queues.values()) count += queue.pendingCount;
    return count;
  }

  /** When the oldest message that waits was read; `Infinity` without any. */
  get oldestAtUs(): number {
    return Math.min(...[...this.queues.values()].map(({ oldestAtUs }) => oldestAtUs));
  }

  get failedCount(): number {
    let count = 0;
    for (const { failed } of this.queues.values()) count += failed.size;
    return count;
  }

  /** Of all conversations, or of one. */
  of(conversation: string): ConversationQueue[] {
    const own = this.queues.get(conversation);
    if (conversation !== '') return own ? [own] : [];
    return [...this.queues.values()];
  }

  /** With the outage of the extractor, where messages are due and wait for it. */
  statusOf(queue: ConversationQueue): ConversationStatus {
    const { capacity } = this;
    const isDue = queue.dueAtUs(this.effectivePolicy) <= this.deps.clock.nowUs();
    const isHeldUp = isDue && capacity !== 'server' && capacity.outage;
    return { ...conversationStatus(queue), ...(isHeldUp ? { error: failureText(isHeldUp) } : {}) };
  }

  /** The extractor is back. */
  resume(): void {
    for (const queue of this.queues.values()) queue.resume();
    this.announce();
  }

  add(conversation: string, message: PendingMessage): void {
    const isForced = message.isForced || message.sequence <= (this.forced.get(conversation) ?? -1);
    this.queueOf(conversation).add({ ...message, isForced });
  }

  /** Messages of the conversation up to the sequence number do not wait for a trigger. */
  force(conversation: string, throughSequence: number): void {
    this.forced.set(conversation, Math.max(throughSequence, this.forced.get(conversation) ?? -1));
    if (this.forced.size > IDLE_MAX) this.forced.clear();
    this.queues.get(conversation)?.force();
    this.announce();
  }

  /** Tries dead letters again, of all conversations or of one; returns how many. */
  retry(conversation: string): number {
    let count = 0;
    const arrivedAtUs = this.deps.clock.nowUs();
    for (const queue of this.of(conversation)) {
      for (const sequence of queue.failed) {
        queue.add({ sequence, tokens: 0, arrivedAtUs, revisions: [], isForced: true });
        count++;
      }
    }
    this.announce();
    return count;
  }

  /** Starts the next due batch within the limit; resolves when it is done. Does not reject. */
  startNext(isUrgentOnly: boolean): Promise<void> | undefined {
    const { limits, clock } = this.deps;
    const { capacity, effectivePolicy: policy } = this;
    const { jobsMax, outage } =
      capacity === 'server' ? { jobsMax: limits.perNamespaceMax } : { outage: undefined, ...capacity };
    if (this.stopping.aborted || (this.runningCount >= jobsMax && !outage)) return undefined;
    const nowUs = clock.nowUs();
    for (const queue of this.queues.values()) {
      if (queue.dueAtUs(policy) > nowUs) continue;
      if (outage) {
        this.report(outage, failureText(outage), true);
        return undefined;
      }
      if (isUrgentOnly && !this.isFull && !queue.isUrgent(nowUs)) continue;
      // Conversations are served in turn.
      this.queues.delete(queue.conversation);
      this.queues.set(queue.conversation, queue);
      const batch = queue.take(limits.batchMax, limits.batchTokensMax);
      this.runningCount++;
      this.hooks.onChange();
      return this.extract(queue, batch).finally(() => {
        this.runningCount--;
        this.hooks.onChange();
        this.announce();
      });
    }
    return undefined;
  }

  /** Reports a due batch, or sets a timer for the next one. */
  announce(): void {
    this.close();
    if (this.stopping.aborted) return;
    const policy = this.effectivePolicy;
    let dueAtUs = Number.POSITIVE_INFINITY;
    for (const queue of this.queues.values()) dueAtUs = Math.min(dueAtUs, queue.dueAtUs(policy));
    const nowUs = this.deps.clock.nowUs();
    if (dueAtUs <= nowUs) this.hooks.onReady();
    else if (dueAtUs < Number.POSITIVE_INFINITY) {
      const afterMs = Math.min(Math.ceil((dueAtUs - nowUs) / 1000), TIMER_MAX_MS);
      this.cancelTimer = this.deps.timing.setTimer(() => this.announce(), afterMs);
    }
  }

  close(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
  }

  async load(): Promise<void> {
    await this.loadDeadLetters();
    await this.refreshPolicy();
  }

  async loadDeadLetters(): Promise<void> {
    const letters = await listDeadLetters(this.deps, this.namespace);
    for (const { failed } of this.queues.values()) failed.clear();
    for (const { conversation, sequence, error } of letters) {
      const queue = this.queueOf(conversation);
      queue.failed.add(sequence);
      queue.failure = error;
    }
  }

  async refreshPolicy(): Promise<void> {
    const { store } = this.deps;
    const layers = [await store.tierSettings(''), await store.tierSettings(this.namespace)];
    this.policy = extractionPolicyOf(...layers);
    this.settings = new Map(layers.flatMap((layer) => [...layer].filter(([key]) => key.startsWith('extraction.'))));
  }

  private get effectivePolicy(): ExtractionPolicy {
    return this.isFull ? { ...this.policy, turns: 1 } : this.policy;
  }

  private queueOf(conversation: string): ConversationQueue {
    const known = this.queues.get(conversation);
    if (known) return known;
    if (this.queues.size >= IDLE_MAX) this.forgetIdle();
    const queue = new ConversationQueue(conversation);
    this.queues.set(conversation, queue);
    return queue;
  }

  private forgetIdle(): void {
    for (const [conversation, { state }] of this.queues) {
      if (this.queues.size < IDLE_MAX) return;
      if (state === 'idle') this.queues.delete(conversation);
    }
  }

  private async extract(queue: ConversationQueue, batch: readonly PendingMessage[]): Promise<void> {
    const beganUs = this.deps.clock.nowUs();
    const meter = (outcome: BatchOutcome, turnCount: number) => {
      const durationMs = (this.deps.clock.nowUs() - beganUs) / 1000;
      this.deps.meter()?.batchEnded(this.extractorName, outcome, { turnCount, durationMs });
    };
    try {
      const lease = await this.hooks.leaseOf(queue.conversation);
      if (!lease) return queue.postpone(this.deps.clock.nowUs() + LEASE_LOOK_MS * 1000);
      try {
        await this.extractIn(lease, queue);
        if (queue.isRunning) meter('extracted', queue.running.length);
      } finally {
        await lease.end();
      }
      queue.succeed();
    } catch (error) {
      const outcome = await this.failed(queue, batch, error);
      if (outcome) meter(outcome, batch.length);
    }
  }

  private async extractIn(lease: ConversationLease, queue: ConversationQueue): Promise<void> {
    const { deps, namespace, settings, policy } = this;
    const { conversation } = queue;
    this.settle(queue, await this.hooks.doneOf(queue.revisions));
    const batch = queue.running;
    if (batch.length === 0) return;
    const sequences = batch.map(({ sequence }) => sequence);
    const timeout = new AbortController();
    const setTimer = () => {
      return deps.timing.setTimer(() => timeout.abort(tooSlow(deps.limits.timeoutMs)), deps.limits.timeoutMs);
    };
    let cancel = setTimer();
    const onExtraction = () => {
      cancel();
      cancel = setTimer();
    };
    try {
      const extractor = deps.extractorOf(policy.extractor);
      const { attempts: count, error: lastError } = queue;
      const failures = count > 0 ? { failures: { count, lastError } } : {};
      const revised = batch.filter(({ isRevised }) => isRevised).map(({ sequence }) => sequence);
      const request = { namespace, conversation, sequences, revised, extractor, settings, onExtraction, ...failures };
      const signal = AbortSignal.any([this.stopping, timeout.signal, lease.signal]);
      const confirmed = { ...deps, sink: underLease(lease, deps.sink) };
      const whole = { ...request, includesToolBlocks: policy.includesToolBlocks };
      const counts = await extractBatch(confirmed, whole, signal);
      for (const [outcome, count] of counts) deps.meter()?.factsStored(outcome, count);
      const revived = sequences.filter((sequence) => queue.failed.has(sequence));
      if (revived.length > 0) await removeDeadLetters(deps, { namespace, conversation }, revived);
      this.reported = '';
      await this.done(batch);
    } finally {
      cancel();
    }
  }

  /** Messages that another server has extracted need no extraction. */
  private settle(queue: ConversationQueue, done: ReadonlySet<number>): void {
    if (done.size === 0) return;
    const settled = queue.settle(done);
    if (settled.length > 0) void this.done(settled);
  }

  /** Drops messages that other servers have extracted since. */
  async look(): Promise<void> {
    const queues = [...this.queues.values()].filter(({ isRunning, pendingCount }) => pendingCount > 0 && !isRunning);
    const revisions = queues.flatMap((queue) => queue.revisions);
    if (revisions.length === 0) return;
    const done = await this.hooks.doneOf(revisions);
    for (const queue of queues) if (!queue.isRunning) this.settle(queue, done);
  }

  /** Absent where nothing has failed: the batch waits for another reason. */
  private async failed(
    queue: ConversationQueue,
    batch: readonly PendingMessage[],
    error: unknown,
  ): Promise<BatchOutcome | undefined> {
    const { deps, namespace } = this;
    if (this.stopping.aborted || isNamespaceMissing(error)) {
      queue.putBack();
      return undefined;
    }
    const at = { nowUs: deps.clock.nowUs(), random: deps.timing.random() };
    if (error instanceof ExtractionReturned) {
      queue.return(error.message, at);
      return undefined;
    }
    const isPassing = error instanceof MnemeError && PASSING.has(error.reason);
    const isLast = !isPassing && batch.length === 1 && queue.defects + 1 >= deps.limits.attemptsMax;
    const text = failureText(error);
    this.report(error, text, isPassing);
    try {
      if (isLast) {
        const [{ sequence } = { sequence: 0 }] = batch;
        await storeDeadLetter(deps, namespace, { conversation: queue.conversation, sequence, error: text });
        await this.done(queue.giveUp(text));
        return 'dead_letter';
      }
    } catch (cause) {
      deps.onFault(cause, namespace);
    }
    queue.fail(text, { isPassing, ...at });
    return 'failed';
  }

  /** An outage of the extractor is reported once, not for each conversation and attempt. */
  private report(error: unknown, text: string, isPassing: boolean): void {
    if (isPassing && text === this.reported) return;
    if (isPassing) this.reported = text;
    this.deps.onFault(error, this.namespace);
  }

  private done(messages: readonly PendingMessage[]): Promise<void> {
    return this.hooks.onDone(messages.flatMap(({ revisions }) => revisions));
  }
}

function tooSlow(timeoutMs: number): MnemeError {
  return new MnemeError('EXTRACTOR_UNAVAILABLE', `the extraction took longer than ${timeoutMs} ms`);
}

/** Why an extraction has failed, for callers. */
export function failureText(error: unknown): string {
  return error instanceof MnemeError ? `${error.reason}: ${error.message}` : 'INTERNAL: see the log of the server';
}
