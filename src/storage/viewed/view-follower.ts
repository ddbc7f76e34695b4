import { isNamespaceMissing, MnemeError } from '../../memory/errors.ts';
import type { Micros } from '../../memory/memory.ts';
import type { MirrorPosition } from '../hot-log.ts';
import type { RecordChanges } from '../record-log.ts';
import { copyNamespace } from './copy-namespace.ts';
import { replaceVectors } from './replace-vectors.ts';
import type { ViewedOptions } from './viewed-options.ts';

interface Following {
  /** The step in progress. */
  running: Promise<number>;
  /** The step after it, for callers that came when it may have read the log already. */
  next: Promise<number> | undefined;
}

/** How far views are behind their records. */
export interface ViewLag {
  /** Namespaces with changes that are not in the view, as far as this server knows. */
  readonly namespaceCount: number;
  /** Longest time for which one of them has been behind. */
  readonly seconds: number;
}

const NAMESPACES_AT_ONCE = 1000;
/** Wait before a namespace whose step has failed is tried again: its notification does not come twice. */
const AGAIN_MS = 5000;

/** Brings the view of each namespace to the end of its log, one step at a time. */
export class ViewFollower {
  private readonly options: ViewedOptions;
  private readonly following = new Map<string, Following>();
  /** Since when a namespace is behind; until its next step succeeds. */
  private readonly behind = new Map<string, Micros>();
  /** Timers of namespaces that are tried again. */
  private readonly again = new Map<string, NodeJS.Timeout>();
  private isEnded = false;

  constructor(options: ViewedOptions) {
    this.options = options;
  }

  /**
   * Resolves when the view has every write that was acknowledged before the call. Fails with NAMESPACE_NOT_FOUND, when
   * the view has nothing of the namespace any more.
   */
  async catchUp(namespace: string): Promise<void> {
    await this.reach(namespace);
  }

  /** The same; resolves to a revision of the namespace whose changes the view has. */
  reach(namespace: string): Promise<number> {
    const known = this.following.get(namespace);
    if (!known) return this.begin(namespace);
    known.next ??= known.running.catch(() => undefined).then(() => this.begin(namespace));
    return known.next;
  }

  async catchUpAll(): Promise<void> {
    const { records, view } = this.options;
    const names = new Set<string>();
    for (const store of [records, view]) {
      for (let afterName: string | undefined; ; ) {
        const page = await store.listNamespaces({
          limit: NAMESPACES_AT_ONCE,
          ...(afterName !== undefined && { afterName }),
        });
        for (const { name } of page) names.add(name);
        afterName = page.at(-1)?.name;
        if (page.length < NAMESPACES_AT_ONCE) break;
      }
    }
    for (const name of names) {
      await this.catchUp(name).catch((error: unknown) => {
        // It was deleted, and is gone from the view.
        if (!isNamespaceMissing(error)) throw error;
      });
    }
  }

  get lag(): ViewLag {
    const nowUs = this.options.clock.nowUs();
    const longestUs = Math.max(0, ...[...this.behind.values()].map((sinceUs) => nowUs - sinceUs));
    return { namespaceCount: this.behind.size, seconds: longestUs / 1e6 };
  }

  /** `catchUp` in the background. */
  wake(namespace: string): void {
    if (this.isEnded || this.following.get(namespace)?.next) return;
    this.catchUp(namespace).catch((error: unknown) => {
      if (isNamespaceMissing(error)) return;
      this.options.onFailure(namespace, error);
      this.wakeAgain(namespace);
    });
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

  /** Waits for the steps in progress; none begins by `wake` any more. */
  async end(): Promise<void> {
    this.isEnded = true;
    for (const timer of this.again.values()) clearTimeout(timer);
    while (this.following.size > 0) {
      await Promise.allSettled([...this.following.values()].map(({ running, next }) => next ?? running));
    }
  }

  private begin(namespace: string): Promise<number> {
    if (!this.behind.has(namespace)) this.behind.set(namespace, this.options.clock.nowUs());
    const following: Following = { running: this.step(namespace), next: undefined };
    this.following.set(namespace, following);
    // Where a next step waits, its callers find it until it begins: no two steps of a namespace run at a time.
    const done = (isCurrent: boolean): void => {
      if (!following.next) this.following.delete(namespace);
      if (isCurrent && !following.next) this.behind.delete(namespace);
    };
    following.running.then(
      () => done(true),
      (error: unknown) => done(isNamespaceMissing(error)),
    );
    return following.running;
  }

  private async step(namespace: string): Promise<number> {
    const { records, view } = this.options;
    for (let since = await view.tiers.mirrorPosition(namespace); ; ) {
      let changes: RecordChanges;
      try {
        changes = await records.changes({ namespace, ...(since && { since }) });
      } catch (error) {
        if (isNamespaceMissing(error)) await this.erase(namespace);
        throw error;
      }
      if (since?.epoch === changes.epoch && Number.parseInt(since.position, 10) > changes.revision) {
        // The records were restored to an older state: later changes may have the revisions of those that are lost.
        await this.erase(namespace);
        since = undefined;
        continue;
      }
      since = await this.apply(namespace, since, changes);
      if (!changes.hasMore) return changes.revision;
    }
  }

  /** Returns the position of the view after it. */
  private async apply(
    name: string,
    since: MirrorPosition | undefined,
    changes: RecordChanges,
  ): Promise<MirrorPosition> {
    const { records, view, clock } = this.options;
    const { epoch, position, entries, memories, revision, namespace, cut } = changes;
    if (since && since.epoch !== epoch) await this.erase(name);
    if (since?.epoch !== epoch) await this.create(name, namespace.description);
    await this.fitVectors(name, changes);
    if (cut !== undefined) return copyNamespace(this.options, name, since, changes);
    if (since?.epoch === epoch && since.position === position) return since;
    const write = { namespace: name, epoch, position, entries, memories, revision, atUs: clock.nowUs() };
    const of = {
      revisionFloor: records.revision,
      ownsAllTiers: true,
      updatesNamespace: changes.updatesNamespace === true,
    };
    await view.tiers.mirror({ ...write, ...of });
    return { epoch, position };
  }

  /** Copies bring vectors of the present model: those of another one are replaced first. */
  private async fitVectors(name: string, { namespace, replacesVectors = false }: RecordChanges): Promise<void> {
    const { embeddingModel, embeddingDimension } = await this.options.view.getNamespace(name);
    const isOther =
      embeddingDimension > 0 &&
      (embeddingModel !== namespace.embeddingModel || embeddingDimension !== namespace.embeddingDimension);
    if (isOther || replacesVectors) await replaceVectors(this.options, namespace);
  }

  private async create(name: string, description: string): Promise<void> {
    const { view, clock } = this.options;
    try {
      // The records keep to the limit.
      await view.createNamespace({ name, description, memoryLimit: 0, atUs: clock.nowUs() });
    } catch (error) {
      // The process has ended before the first step was applied.
      if (!(error instanceof MnemeError) || error.reason !== 'NAMESPACE_EXISTS') throw error;
    }
  }

  private async erase(name: string): Promise<void> {
    try {
      await this.options.view.deleteNamespace({ name, force: true, atUs: this.options.clock.nowUs() });
    } catch (error) {
      if (!isNamespaceMissing(error)) throw error;
    }
  }
}
