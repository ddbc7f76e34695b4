import { isNamespaceMissing, MnemeError } from '../../memory/errors.ts';
import type { MirrorPosition } from '../hot-log.ts';
import type { RecordChanges } from '../record-log.ts';
import { copyNamespace } from './copy-namespace.ts';
import { replaceVectors } from './replace-vectors.ts';
import type { ViewedOptions } from './viewed-options.ts';

interface Following {
  /** The step in progress. */
  running: Promise<void>;
  /** The step after it, for callers that came when it may have read the log already. */
  next: Promise<void> | undefined;
}

const NAMESPACES_AT_ONCE = 1000;

/** Brings the view of each namespace to the end of its log, one step at a time. */
export class ViewFollower {
  private readonly options: ViewedOptions;
  private readonly following = new Map<string, Following>();
  private isEnded = false;

  constructor(options: ViewedOptions) {
    this.options = options;
  }

  /**
   * Resolves when the view has every write that was acknowledged before the call. Fails with NAMESPACE_NOT_FOUND, when
   * the view has nothing of the namespace any more.
   */
  catchUp(namespace: string): Promise<void> {
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

  /** `catchUp` in the background. */
  wake(namespace: string): void {
    if (this.isEnded || this.following.get(namespace)?.next) return;
    this.catchUp(namespace).catch((error: unknown) => {
      if (!isNamespaceMissing(error)) this.options.onFailure(namespace, error);
    });
  }

  /** Waits for the steps in progress; none begins by `wake` any more. */
  async end(): Promise<void> {
    this.isEnded = true;
    while (this.following.size > 0) {
      await Promise.allSettled([...this.following.values()].map(({ running, next }) => next ?? running));
    }
  }

  private begin(namespace: string): Promise<void> {
    const following: Following = { running: this.step(namespace), next: undefined };
    this.following.set(namespace, following);
    // Where a next step waits, its callers find it until it begins: no two steps of a namespace run at a time.
    const done = (): void => {
      if (!following.next) this.following.delete(namespace);
    };
    following.running.then(done, done);
    return following.running;
  }

  private async step(namespace: string): Promise<void> {
    const { records, view } = this.options;
    for (let since = await view.tiers.mirrorPosition(namespace); ; ) {
      let changes: RecordChanges;
      try {
        changes = await records.changes({ namespace, ...(since && { since }) });
      } catch (error) {
        if (isNamespaceMissing(error)) await this.erase(namespace);
        throw error;
      }
      since = await this.apply(namespace, since, changes);
      if (!changes.hasMore) return;
    }
  }

  /** Returns the position of the view after it. */
  private async apply(
    name: string,
    since: MirrorPosition | undefined,
    changes: RecordChanges,
  ): Promise<MirrorPosition> {
    const { view, clock } = this.options;
    const { epoch, position, entries, memories, revision, namespace, cut } = changes;
    if (since && since.epoch !== epoch) await this.erase(name);
    if (since?.epoch !== epoch) await this.create(name, namespace.description);
    await this.fitVectors(name, changes);
    if (cut !== undefined) return copyNamespace(this.options, name, since, changes);
    if (since?.epoch === epoch && since.position === position) return since;
    const write = { namespace: name, epoch, position, entries, memories, revision, atUs: clock.nowUs() };
    await view.tiers.mirror({ ...write, ownsAllTiers: true });
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
