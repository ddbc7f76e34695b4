import { isDraining, isNamespaceMissing, MnemeError } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import { outsideSpans } from '../../search/threads/span.ts';
import { outsideCall } from '../current-call.ts';
import { currentFence } from '../job-fence.ts';
import type { RecordChanges, RecordPosition } from '../record-log.ts';
import { copyNamespace, replaceVectors } from './copy-namespace.ts';
import { NamespaceUse } from './namespace-use.ts';
import { type BuildCounts, ViewBuilds } from './view-builds.ts';
import type { InTurn, ViewedOptions } from './viewed-options.ts';

interface Following {
  /** The step in progress. */
  running: Promise<number>;
  /** The step after it, for callers that came when it may have read the log already. */
  next: Promise<number> | undefined;
}

/** A page of the log, read from the position `since`. */
interface Part {
  readonly changes: RecordChanges;
  readonly since: RecordPosition | undefined;
  /** The position after it; absent where it is not applied yet. */
  readonly at?: RecordPosition;
  /** The next page, which is read while this one is applied. */
  readonly ahead?: Promise<RecordChanges>;
}

/** How far views are behind their records. */
export interface ViewLag {
  /** Namespaces with changes that are not in the view, as far as this server knows. */
  readonly namespaceCount: number;
  /** Longest time for which one of them has been behind. */
  readonly seconds: number;
}

/** Wait before a namespace whose step has failed is tried again: its notification does not come twice. */
const AGAIN_MS = 5000;
/** Work that is known to be short has its turn at once. */
const atOnce: InTurn = (part) => part();

/**
 * Brings the view of each namespace to the end of its log, one step at a time. A namespace is in the view from its first
 * use on, until it is evicted.
 */
export class ViewFollower {
  private readonly options: ViewedOptions;
  private readonly following = new Map<string, Following>();
  /** Namespaces of the view. */
  private readonly held = new Set<string>();
  /** Those that were brought to the end of their logs since they were built. */
  private readonly warm = new Set<string>();
  private readonly use = new NamespaceUse();
  /** The namespace whose next page is read ahead: one at a time, as pages are in memory meanwhile. */
  private aheadOf: string | undefined;
  private readonly builds: ViewBuilds;
  /** Since when a namespace is behind; until its next step succeeds. */
  private readonly behind = new Map<string, Micros>();
  /** Timers of namespaces that are tried again. */
  private readonly again = new Map<string, NodeJS.Timeout>();
  private readonly begun: Promise<void>;
  private isEnded = false;

  constructor(options: ViewedOptions) {
    this.options = options;
    this.builds = new ViewBuilds(options.clock, options.buildWaitMs);
    this.begun = this.goOn().catch((error: unknown) => options.onFailure('-', error));
  }

  /**
   * Resolves when the view has every write that was acknowledged before the call. Fails with NAMESPACE_NOT_FOUND, when
   * the view has nothing of the namespace any more, and with STORAGE_UNAVAILABLE where the view is built for long.
   */
  async catchUp(namespace: string): Promise<void> {
    await this.reach(namespace);
  }

  /** The same; resolves to a revision of the namespace whose changes the view has. */
  reach(namespace: string): Promise<number> {
    const reached = this.next(namespace);
    return this.warm.has(namespace) ? reached : this.builds.waitFor(namespace, reached);
  }

  /** `reach` of those that are in the view, as far as calls would wait: what is left goes on in the background. */
  async reachEach(namespaces: readonly string[]): Promise<void> {
    await this.begun;
    const held = namespaces.filter((name) => this.held.has(name));
    // The next call of a namespace meets its failure again.
    await Promise.allSettled(held.map((name) => this.builds.waitFor(name, this.next(name))));
  }

  /** Reads the view when it has every write that was acknowledged before the call; the namespace is not evicted meanwhile. */
  async during<T>(namespace: string, read: () => Promise<T>): Promise<T> {
    const leave = this.use.hold(namespace, currentFence() === undefined);
    try {
      await this.catchUp(namespace);
      return await read();
    } finally {
      leave();
    }
  }

  /** Follows the namespace, and keeps it in the view, until the returned function is called. */
  keep(namespace: string): () => void {
    return this.use.hold(namespace);
  }

  /** Names of all namespaces of the records, and of those that are still in the view. */
  async names(): Promise<ReadonlySet<string>> {
    await this.begun;
    const names = new Set(this.held);
    for await (const name of namesOf(this.options.records)) names.add(name);
    return names;
  }

  isHeld(namespace: string): boolean {
    return this.held.has(namespace);
  }

  /** Whether it is in the view, and is neither built nor evicted at present. */
  isComplete(namespace: string): boolean {
    return this.warm.has(namespace);
  }

  get heldCount(): number {
    return this.held.size;
  }

  get buildCounts(): BuildCounts {
    return this.builds.counts;
  }

  get lag(): ViewLag {
    const nowUs = this.options.clock.nowUs();
    const longestUs = Math.max(0, ...[...this.behind.values()].map((sinceUs) => nowUs - sinceUs));
    return { namespaceCount: this.behind.size, seconds: longestUs / 1e6 };
  }

  /** Copies memories anew that have not changed since they were copied, of the creation of the namespace with the epoch. */
  async renew(namespace: string, epoch: string, ids: readonly string[]): Promise<void> {
    // Steps of a namespace follow each other.
    for (let known = this.following.get(namespace); known; known = this.following.get(namespace)) {
      await Promise.allSettled([known.next ?? known.running]);
    }
    await this.begin(namespace, () => this.copyAnew(namespace, epoch, ids));
  }

  /** `catchUp` in the background, of a namespace that is in the view or that a stream waits for. */
  wake(namespace: string): void {
    const isFollowed = this.held.has(namespace) || this.following.has(namespace) || this.use.isHeld(namespace);
    if (this.isEnded || !isFollowed) return;
    if (this.following.get(namespace)?.next) return;
    outsideSpans(() => this.next(namespace)).catch((error: unknown) => {
      if (isNamespaceMissing(error) || isDraining(error)) return;
      this.options.onFailure(namespace, error);
      this.wakeAgain(namespace);
    });
  }

  /**
   * Evicts the namespace whose last use is longest ago; false where each one is in use. Its rows are erased later. A
   * process that ends meanwhile has evicted it, or not.
   */
  async evictLeastUsed(): Promise<boolean> {
    await this.begun;
    const free = [...this.held].filter((name) => !this.use.isHeld(name) && !this.following.has(name));
    const namespace = this.use.leastOf(new Set(free));
    if (namespace === undefined) return false;
    // A call that needs it from here on waits, and has it built again.
    await this.begin(namespace, () => this.erase(namespace).then(() => 0));
    return true;
  }

  /** Waits for the steps in progress, and for the present parts of builds; none begins by `wake` any more. */
  async end(): Promise<void> {
    this.isEnded = true;
    this.builds.end();
    for (const timer of this.again.values()) clearTimeout(timer);
    await this.begun;
    while (this.following.size > 0) {
      await Promise.allSettled([...this.following.values()].map(({ running, next }) => next ?? running));
    }
  }

  /** Follows what was in the view when the server ended. */
  private async goOn(): Promise<void> {
    for await (const name of namesOf(this.options.view)) this.held.add(name);
    for (const name of this.held) this.wake(name);
  }

  private wakeAgain(namespace: string): void {
    if (this.isEnded || this.again.has(namespace)) return;
    const timer = setTimeout(() => {
      this.again.delete(namespace);
      this.wake(namespace);
    }, AGAIN_MS);
    timer.unref();
    this.again.set(namespace, timer);
  }

  private next(namespace: string): Promise<number> {
    const known = this.following.get(namespace);
    if (!known) return this.begin(namespace, () => this.step(namespace));
    known.next ??= known.running.catch(() => undefined).then(() => this.begin(namespace, () => this.step(namespace)));
    return known.next;
  }

  private begin(namespace: string, work: () => Promise<number>): Promise<number> {
    // Later callers wait for the step too.
    const following: Following = { running: outsideCall(work), next: undefined };
    this.following.set(namespace, following);
    // Where a next step waits, its callers find it until it begins: no two steps of a namespace run at a time.
    const done = (isCurrent: boolean): void => {
      if (!following.next) this.following.delete(namespace);
      const isKept = this.held.has(namespace);
      if (!isKept || (isCurrent && !following.next)) this.behind.delete(namespace);
    };
    following.running.then(
      () => done(true),
      (error: unknown) => done(isNamespaceMissing(error)),
    );
    return following.running;
  }

  private async step(namespace: string): Promise<number> {
    const since = await this.options.view.copies.position(namespace);
    const isNew = since === undefined;
    if (!isNew && !this.behind.has(namespace)) this.behind.set(namespace, this.options.clock.nowUs());
    const follow = (): Promise<number> => this.follow(namespace, since);
    const revision = await (isNew ? this.builds.run(namespace, follow) : follow());
    if (this.held.has(namespace)) this.warm.add(namespace);
    return revision;
  }

  private async copyAnew(namespace: string, epoch: string, ids: readonly string[]): Promise<number> {
    const { records, view, clock } = this.options;
    const since = await view.copies.position(namespace);
    if (since?.epoch !== epoch) return 0;
    const copies = await records.copies({ namespace, ids });
    // The log has an entry of each later state.
    const memories = copies.filter(({ memory }) => memory.revision <= Number(since.position));
    const write = { namespace, ...since, entries: [], memories, revision: 0, atUs: clock.nowUs() };
    const { revision } = await view.copies.apply(write);
    return revision;
  }

  private async follow(namespace: string, position: RecordPosition | undefined): Promise<number> {
    // The changes since the last step are few: only a long way to the end is gone in turns.
    let inTurn = position ? atOnce : this.builds.inTurn;
    let ahead: Promise<RecordChanges> | undefined;
    try {
      for (let since = position; ; inTurn = this.builds.inTurn) {
        const part = await inTurn(() => this.part(namespace, since, ahead));
        const { changes } = part;
        ahead = part.ahead;
        since = part.at ?? (await this.longPart(namespace, part.since, changes));
        if (!changes.hasMore) return changes.revision;
      }
    } finally {
      if (this.aheadOf === namespace) this.aheadOf = undefined;
    }
  }

  /** Applies a page of the log; returns no position where that takes more than one part. */
  private async part(
    namespace: string,
    since: RecordPosition | undefined,
    pageAhead?: Promise<RecordChanges>,
  ): Promise<Part> {
    const changes = await this.read(namespace, since, pageAhead);
    const isRestored = since?.epoch === changes.epoch && Number.parseInt(since.position, 10) > changes.revision;
    if (isRestored) {
      // The records were restored to an older state: later changes may have the revisions of those that are lost.
      await this.erase(namespace);
      return this.part(namespace, undefined);
    }
    if (since && since.epoch !== changes.epoch) await this.erase(namespace);
    if (since?.epoch !== changes.epoch) await this.create(namespace, changes.namespace.description);
    if (changes.cut !== undefined || (await this.hasOtherVectors(namespace, changes))) return { changes, since };
    const ahead = changes.hasMore ? this.readAhead(namespace, changes) : undefined;
    return { changes, since, ahead, at: await this.apply(namespace, since, changes) };
  }

  private async longPart(
    namespace: string,
    since: RecordPosition | undefined,
    changes: RecordChanges,
  ): Promise<RecordPosition> {
    const { inTurn } = this.builds;
    // Calls wait for it as they do for a build.
    this.warm.delete(namespace);
    // Copies bring vectors of the present model: those of another one are replaced first.
    if (await this.hasOtherVectors(namespace, changes)) await replaceVectors(this.options, changes.namespace, inTurn);
    if (changes.cut !== undefined) return copyNamespace(this.options, namespace, since, changes, inTurn);
    return inTurn(() => this.apply(namespace, since, changes));
  }

  /** Fails with NAMESPACE_NOT_FOUND when the view has nothing of it any more. */
  private async read(
    namespace: string,
    since: RecordPosition | undefined,
    ahead?: Promise<RecordChanges>,
  ): Promise<RecordChanges> {
    try {
      return await (ahead ?? this.options.records.changes({ namespace, since }));
    } catch (error) {
      if (isNamespaceMissing(error)) await this.erase(namespace);
      throw error;
    }
  }

  private readAhead(namespace: string, { epoch, position }: RecordChanges): Promise<RecordChanges> | undefined {
    if (this.aheadOf !== undefined && this.aheadOf !== namespace) return undefined;
    this.aheadOf = namespace;
    const page = this.options.records.changes({ namespace, since: { epoch, position } });
    // Its failure is that of the next part; where there is none, it does not matter.
    page.catch(() => undefined);
    return page;
  }

  /** Returns the position of the view after it. */
  private async apply(
    name: string,
    since: RecordPosition | undefined,
    changes: RecordChanges,
  ): Promise<RecordPosition> {
    const { records, view, clock } = this.options;
    const { epoch, position, entries, memories, revision } = changes;
    if (since?.epoch === epoch && since.position === position) return since;
    const of = { revisionFloor: records.revision, updatesNamespace: changes.updatesNamespace === true };
    const write = { namespace: name, epoch, position, entries, memories, revision, ...of, atUs: clock.nowUs() };
    await view.copies.apply(write);
    return { epoch, position };
  }

  private async hasOtherVectors(name: string, { namespace, replacesVectors = false }: RecordChanges): Promise<boolean> {
    const { embeddingModel, embeddingDimension } = await this.options.view.getNamespace(name);
    const isOther =
      embeddingDimension > 0 &&
      (embeddingModel !== namespace.embeddingModel || embeddingDimension !== namespace.embeddingDimension);
    return isOther || replacesVectors;
  }

  private async create(name: string, description: string): Promise<void> {
    const { view, clock } = this.options;
    try {
      // The records keep to the limit.
      await view.write({ kind: 'createNamespace', name, description, memoryLimit: 0, atUs: clock.nowUs() });
    } catch (error) {
      // The process has ended before the first step was applied.
      if (!(error instanceof MnemeError) || error.reason !== 'NAMESPACE_EXISTS') throw error;
    }
    this.held.add(name);
    this.use.renew(name);
  }

  private async erase(name: string): Promise<void> {
    this.warm.delete(name);
    try {
      await this.options.view.write({ kind: 'deleteNamespace', name, force: true, atUs: this.options.clock.nowUs() });
    } catch (error) {
      if (!isNamespaceMissing(error)) throw error;
    }
    this.held.delete(name);
    this.use.forget(name);
  }
}

const NAMESPACES_AT_ONCE = 1000;

/** Names of all namespaces of records or of a view, page by page. */
async function* namesOf(store: Pick<ViewedOptions['view'], 'listNamespaces'>): AsyncGenerator<string> {
  for (let afterName: string | undefined; ; ) {
    const page = await store.listNamespaces({
      limit: NAMESPACES_AT_ONCE,
      afterName,
    });
    for (const { name } of page) yield name;
    afterName = page.at(-1)?.name;
    if (page.length < NAMESPACES_AT_ONCE) return;
  }
}
