import type { Call } from '../../../memory/call.ts';
import { isNamespaceMissing } from '../../../memory/errors.ts';
import type { Backlog } from '../../../memory/meters.ts';
import { outsideCall } from '../../../storage/current-call.ts';
import { type ConversationKey, newestMessage } from '../conversations/conversations.ts';
import { namespaceNames } from '../namespaces/namespaces.ts';
import { draining } from '../streams/open-streams.ts';
import type { ExtractionDeps } from './extraction-deps.ts';
import type { ConversationStatus, ExtractionStatus, FlushOutcome } from './extraction-status.ts';
import { mayHaveMessages } from './log-intake.ts';
import { NamespaceExtraction } from './namespace-extraction.ts';

/** Namespaces and entries of the log that a sweep looks at without listing all namespaces. */
const CHANGED_MAX = 100_000;
/** Batches that start in one turn of the event loop: callers come in between. */
const STARTS_A_TURN = 4;
/**
 * Turns of the event loop between batches that are not urgent. Turns are long while callers are many: batches grow
 * meanwhile, and cost less a message.
 */
const REST_TURNS = 4;
/** A namespace that opens slowly continues in the background. */
const OPENING_MS = 5000;

/** Extraction in all namespaces: loads those with pending messages, and shares the capacity among them. */
export class Extractions {
  private readonly deps: ExtractionDeps;
  private readonly concurrency: number;
  private readonly loaded = new Map<
    string,
    { readonly extraction: NamespaceExtraction; readonly run: Promise<void> }
  >();
  /** Namespaces with due batches; the one served last goes to the end. */
  private readonly ready = new Set<NamespaceExtraction>();
  private readonly running = new Set<Promise<void>>();
  /** Of those that run: extractions that count towards the concurrency. */
  private localCount = 0;
  /** In the current turn of the event loop. */
  private startCount = 0;
  /** Turns in which only urgent batches start. */
  private restTurns = 0;
  private readonly resting = new Set<NamespaceExtraction>();
  private nextTurn: NodeJS.Immediate | undefined;
  private sweptRevision: number | undefined;
  /** Namespaces that the last sweep could not read. */
  private readonly missed = new Set<string>();
  private isStopped = false;

  /** `concurrency`: extractions that this server runs at once. */
  constructor(deps: ExtractionDeps, concurrency: number) {
    this.deps = deps;
    this.concurrency = concurrency;
  }

  /** Of the namespaces that are loaded: those with pending messages. */
  get backlog(): Backlog {
    const queues = [...this.loaded.values()].map(({ extraction }) => extraction.queues);
    const turnCount = queues.reduce((sum, { pendingCount }) => sum + pendingCount, 0);
    const oldestAtUs = Math.min(...queues.map(({ oldestAtUs: atUs }) => atUs));
    const ageUs = turnCount === 0 ? 0 : this.deps.clock.nowUs() - oldestAtUs;
    return { turnCount, oldestAgeMs: Math.max(0, ageUs / 1000) };
  }

  /** Messages were appended. `throughSequence`: up to there no trigger is waited for. */
  appended({ namespace, conversation }: ConversationKey, throughSequence?: number): void {
    if (this.isStopped) return;
    const extraction = this.load(namespace);
    if (throughSequence === undefined) extraction.wake();
    else extraction.force(conversation, throughSequence);
  }

  /** The extractor of a namespace is back: its messages are tried at once. */
  resume(namespace: string): void {
    if (this.isStopped) return;
    const known = this.loaded.get(namespace);
    if (known) known.extraction.queues.resume();
    else void this.sweepOne(namespace, new AbortController().signal);
  }

  /** Fails with NAMESPACE_NOT_FOUND, STORAGE_UNAVAILABLE. */
  async status({ namespace, conversation }: ConversationKey, call: Call): Promise<ExtractionStatus> {
    const extraction = await this.opened(namespace, call);
    const status = extraction.status(conversation);
    const isKnown = conversation === '' || status.conversations.length > 0 || status.degraded !== '';
    return isKnown ? status : { ...status, conversations: await this.idleStatus({ namespace, conversation }) };
  }

  /** For a conversation without pending messages: all of its messages are extracted. */
  private async idleStatus(key: ConversationKey): Promise<ConversationStatus[]> {
    const newest = await newestMessage(this.deps, key, 'metadata');
    if (newest?.step === undefined) return [];
    const { conversation } = key;
    const lastExtracted = newest.step;
    return [{ conversation, state: 'idle', pendingCount: 0, lastExtracted, attempts: 0, error: '', failed: [] }];
  }

  /** Extracts all messages accepted before; answers at the deadline at the latest. */
  async flush({ namespace, conversation }: ConversationKey, call: Call): Promise<FlushOutcome> {
    const extraction = await this.found(namespace);
    return extraction.flush(this.deps.feed.log.revision, conversation, call.signal);
  }

  async retry({ namespace, conversation }: ConversationKey, call: Call): Promise<number> {
    const extraction = await this.opened(namespace, call);
    return extraction.queues.retry(conversation);
  }

  /** The status, and again after changes, with so much time in between. */
  async *watch(
    { namespace, conversation }: ConversationKey,
    intervalMs: number,
    call: Call,
  ): AsyncGenerator<ExtractionStatus> {
    let extraction = await this.opened(namespace, call);
    for (let before = ''; ; ) {
      if (this.isStopped) throw draining();
      const status = extraction.status(conversation);
      const text = JSON.stringify(status);
      const change = extraction.nextChange(call.signal);
      if (text !== before) {
        before = text;
        yield status;
      }
      await change;
      call.signal.throwIfAborted();
      await this.pause(intervalMs, call.signal);
      call.signal.throwIfAborted();
      extraction = await this.opened(namespace, call);
    }
  }

  /** Loads namespaces with messages that may not be extracted: of a stopped server, or from before a restart. */
  async sweep(signal: AbortSignal): Promise<void> {
    const { log } = this.deps.feed;
    const { revision } = log;
    const changed = await this.changedSince(this.sweptRevision);
    const names = changed && this.sweptRevision !== undefined ? new Set([...changed, ...this.missed]) : undefined;
    this.missed.clear();
    // Where the names of changes are taken, those of an interrupted sweep are found among all.
    this.sweptRevision = undefined;
    for await (const name of names ?? namespaceNames(this.deps.store)) {
      if (signal.aborted) return;
      if (!this.loaded.has(name)) await this.sweepOne(name, signal);
    }
    this.sweptRevision = revision;
  }

  /** By the log of this server only where that has the changes of every namespace. */
  private async changedSince(afterRevision: number | undefined): Promise<readonly string[] | undefined> {
    const { shared } = this.deps.subscriptionStore;
    if (shared) return shared.takeChanged();
    if (afterRevision === undefined) return undefined;
    return this.deps.feed.log.changedNamespaces({ afterRevision, limit: CHANGED_MAX });
  }

  /** A namespace that cannot be read does not hold up the others. */
  private async sweepOne(namespace: string, signal: AbortSignal): Promise<void> {
    try {
      if (!(await mayHaveMessages(this.deps, namespace)) || this.isStopped) return;
      const extraction = this.load(namespace);
      await Promise.race([extraction.ready, this.pause(OPENING_MS, signal)]);
    } catch (error) {
      if (isNamespaceMissing(error)) return;
      this.missed.add(namespace);
      this.deps.onFault(error, namespace);
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    const runs = [...this.loaded.values()].map(({ extraction, run }) => {
      extraction.stop();
      return run;
    });
    await Promise.all([...runs, ...this.running]);
  }

  /** Fails with NAMESPACE_NOT_FOUND. */
  private async found(namespace: string): Promise<NamespaceExtraction> {
    if (this.isStopped) throw draining();
    await this.deps.feed.find(namespace);
    await this.deps.feed.current(namespace);
    return this.load(namespace);
  }

  /** Loaded, with all earlier messages read; fails with the signal's reason when that comes first. */
  private async opened(namespace: string, { signal }: Call): Promise<NamespaceExtraction> {
    const extraction = await this.found(namespace);
    await extraction.readThrough(this.deps.feed.log.revision, signal);
    await extraction.refresh();
    signal.throwIfAborted();
    return extraction;
  }

  private load(namespace: string): NamespaceExtraction {
    const known = this.loaded.get(namespace);
    if (known) return known.extraction;
    const extraction = new NamespaceExtraction(this.deps, namespace, (ready) => {
      this.ready.add(ready);
      this.pump();
    });
    // It goes on for later calls than the one that loads it.
    const run = outsideCall(() => extraction.run()).then(() => {
      this.loaded.delete(namespace);
      this.ready.delete(extraction);
      this.resting.delete(extraction);
      if (extraction.hasMissed && !this.isStopped) this.load(namespace);
    });
    this.loaded.set(namespace, { extraction, run });
    return extraction;
  }

  /** Starts batches within the limit, one of each namespace in turn. */
  private pump(): void {
    while (!this.isStopped && this.startCount < STARTS_A_TURN) {
      const next = this.nextReady();
      if (!next) return;
      this.ready.delete(next);
      const places = next.queues.isRemote ? 0 : 1;
      const isResting = this.restTurns > 0;
      const work = outsideCall(() => next.startNext(isResting));
      if (!work && isResting) this.resting.add(next);
      if (!work) continue;
      this.noteStart();
      this.ready.add(next);
      this.localCount += places;
      const done: Promise<void> = work.finally(() => {
        this.localCount -= places;
        this.running.delete(done);
        this.pump();
      });
      this.running.add(done);
    }
  }

  private nextReady(): NamespaceExtraction | undefined {
    const hasPlace = this.localCount < this.concurrency;
    for (const next of this.ready) if (hasPlace || next.queues.isRemote) return next;
    return undefined;
  }

  private noteStart(): void {
    this.startCount++;
    this.restTurns ||= REST_TURNS;
    this.nextTurn ??= setImmediate(() => this.beginTurn());
  }

  private beginTurn(): void {
    this.startCount = 0;
    this.restTurns--;
    this.nextTurn = this.restTurns > 0 ? setImmediate(() => this.beginTurn()) : undefined;
    if (this.restTurns === 0) {
      for (const extraction of this.resting) this.ready.add(extraction);
      this.resting.clear();
    }
    this.pump();
  }

  private async pause(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const onAbort = () => resolve();
    const cancel = this.deps.timing.setTimer(resolve, ms);
    signal.addEventListener('abort', onAbort, { once: true });
    if (!signal.aborted) await promise;
    signal.removeEventListener('abort', onAbort);
    cancel();
  }
}
