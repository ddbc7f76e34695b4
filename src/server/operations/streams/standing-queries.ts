import { setTimeout as sleep } from 'node:timers/promises';
import type { AffectedQueries, StandingQuery, StandingQueryIndex } from '../../../search/standing/standing-query.ts';
import type { ChangeLog, LogSource } from '../../../storage/change-log/change-log.ts';
import { outsideCall } from '../../../storage/current-call.ts';
import type { Standing, Urgency } from './answer-state.ts';

/** All standing queries of the server; follows the change log and notifies those that a change affects. */
export class StandingQueries {
  private readonly log: Pick<ChangeLog, 'revision' | 'onCommit'>;
  private readonly index: StandingQueryIndex;
  private readonly onFault: (error: unknown) => void;
  private readonly entries = new Map<number, StandingEntry>();
  /** Queries of kind `ranked`, by namespace. */
  private readonly rankedBy = new Map<string, Set<StandingEntry>>();
  /** Queries by the memories in their answers, as `namespace/id`. */
  private readonly byMember = new Map<string, Set<StandingEntry>>();
  /** Queries whose evaluation is running, by namespace. */
  private readonly searching = new Map<string, Set<StandingEntry>>();
  private readonly source: LogSource | undefined;
  private readonly ignoreCommits: () => void;
  private revision = 0;
  private nextId = 1;
  /** Queries that the index may not know yet. */
  private puttingCount = 0;
  private following: Promise<void> | undefined;
  private readonly reached = new ReachedRevisions();
  private readonly pause: Pause;
  private readonly owner: EntryOwner;
  private lookedMs = Number.NEGATIVE_INFINITY;
  private isClosed = false;

  /** `onFault` is called when the index does not answer; the next commit tries again. */
  constructor(
    log: Pick<ChangeLog, 'revision' | 'onCommit'>,
    index: StandingQueryIndex,
    onFault: (error: unknown) => void,
    source?: LogSource,
    pause: Pause = pauseBetweenLooks,
  ) {
    this.pause = pause;
    this.source = source;
    this.log = log;
    this.index = index;
    this.onFault = onFault;
    this.ignoreCommits = log.onCommit(() => this.wake());
    const revision = (): number => this.revision;
    this.owner = {
      get revision() {
        return revision();
      },
      beginSearch: (entry) => this.beginSearch(entry),
      renew: (entry, query) => this.renew(entry, query),
      endSearch: (entry, members) => this.endSearch(entry, members),
      end: (entry) => this.end(entry),
    };
  }

  get count(): number {
    return this.entries.size;
  }

  /** Resolves when it is known which queries are affected by all that was committed before, or when that is not looked for. */
  async caughtUp(): Promise<void> {
    if (this.following) await this.reached.wait(this.log.revision);
  }

  /** From now on `onAffected` is called for every change that counts. Fails with NAMESPACE_NOT_FOUND. */
  async add(query: StandingQuery, onAffected: (urgency: Urgency) => void): Promise<Standing> {
    const leave = this.source?.keep(query.namespace);
    try {
      await this.source?.adopt(query.namespace);
    } catch (error) {
      leave?.();
      throw error;
    }
    const entry = new StandingEntry(this.owner, { id: this.nextId++, query, onAffected, leave });
    if (this.entries.size === 0 && !this.following) this.revision = this.log.revision;
    this.entries.set(entry.id, entry);
    if (query.kind === 'ranked') added(this.rankedBy, query.namespace, entry);
    this.puttingCount++;
    try {
      await this.index.put(entry.id, query, this.revision);
    } catch (error) {
      this.forget(entry);
      throw error;
    } finally {
      this.puttingCount--;
    }
    this.wake();
    return entry;
  }

  /** Visibility in the namespace has changed: its queries renew their filters and are evaluated again. */
  outdate(namespace: string): void {
    for (const entry of this.entries.values()) {
      if (entry.query.namespace !== namespace) continue;
      entry.isOutdated = true;
      entry.onAffected('urgent');
    }
  }

  async stop(): Promise<void> {
    this.isClosed = true;
    this.ignoreCommits();
    await this.following;
  }

  private beginSearch(entry: StandingEntry): void {
    entry.changedMeanwhile = new Set();
    added(this.searching, entry.query.namespace, entry);
  }

  private async renew(entry: StandingEntry, query: StandingQuery): Promise<void> {
    entry.query = query;
    await this.index.put(entry.id, query, this.revision);
  }

  private end(entry: StandingEntry): void {
    this.forget(entry);
    if (!this.isClosed) this.index.remove(entry.id).catch(this.onFault);
  }

  private forget(entry: StandingEntry): void {
    entry.leave?.();
    this.endSearch(entry, NO_MEMBERS);
    this.entries.delete(entry.id);
    if (entry.query.kind === 'ranked') removed(this.rankedBy, entry.query.namespace, entry);
  }

  private endSearch(entry: StandingEntry, members: ReadonlySet<string>): void {
    const { changedMeanwhile = NO_MEMBERS, members: before } = entry;
    entry.changedMeanwhile = undefined;
    removed(this.searching, entry.query.namespace, entry);
    this.setMembers(entry, members);
    const isMissed = [...changedMeanwhile].some((id) => members.has(id) && !before.has(id));
    if (isMissed) entry.onAffected('urgent');
  }

  private setMembers(entry: StandingEntry, members: ReadonlySet<string>): void {
    const { namespace } = entry.query;
    for (const id of entry.members) if (!members.has(id)) removed(this.byMember, `${namespace}/${id}`, entry);
    for (const id of members) if (!entry.members.has(id)) added(this.byMember, `${namespace}/${id}`, entry);
    entry.members = members;
  }

  private wake(): void {
    if (this.isClosed || this.entries.size === 0) return;
    this.following ??= outsideCall(() => this.follow()).finally(() => {
      this.following = undefined;
      this.reached.notify(Number.POSITIVE_INFINITY);
    });
  }

  private async follow(): Promise<void> {
    try {
      while (!this.isClosed && this.entries.size > 0 && this.revision < this.log.revision) {
        await this.pause(this.lookedMs);
        if (this.isClosed) return;
        this.lookedMs = performance.now();
        const count = this.entries.size - this.puttingCount;
        this.notify(await this.index.affected({ afterRevision: this.revision, count }));
      }
    } catch (error) {
      if (!this.isClosed) this.onFault(error);
    }
  }

  private notify(found: AffectedQueries): void {
    // A notified query reads the revision: it must be the new one by then.
    this.revision = Math.max(this.revision, found.throughRevision);
    this.reached.notify(this.revision);
    if (found.isEverything) {
      this.notifyAll();
      return;
    }
    for (const { namespace, id } of found.changed) {
      for (const entry of this.searching.get(namespace) ?? []) entry.changedMeanwhile?.add(id);
      for (const entry of this.byMember.get(`${namespace}/${id}`) ?? []) entry.onAffected('urgent');
    }
    for (const id of found.urgent) this.entries.get(id)?.onAffected('urgent');
    for (const id of found.settling) this.entries.get(id)?.onAffected('settling');
    for (const namespace of found.settlingNamespaces) {
      for (const entry of this.rankedBy.get(namespace) ?? []) entry.onAffected('settling');
    }
  }

  /** The index was restarted, or the log was compacted: all queries are registered and evaluated again. */
  private notifyAll(): void {
    for (const entry of [...this.entries.values()]) {
      this.index.put(entry.id, entry.query, this.revision).catch(this.onFault);
      entry.onAffected('urgent');
    }
  }
}

/** In a storm of commits several are compared with the standing queries together, which costs less for each. */
const LOOK_EVERY_MS = 4;

/** Resolves when the next commits may be processed, given the time of the last run. */
type Pause = (lookedMs: number) => Promise<unknown>;

async function pauseBetweenLooks(lookedMs: number): Promise<void> {
  const restMs = lookedMs + LOOK_EVERY_MS - performance.now();
  if (restMs > 0) await sleep(restMs);
}

/** Sets by key, of which none is kept that is empty. */
function added<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const values = map.get(key) ?? new Set();
  if (values.size === 0) map.set(key, values);
  values.add(value);
}

function removed<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const values = map.get(key);
  values?.delete(value);
  if (values?.size === 0) map.delete(key);
}

/** Waits for revisions to be reached. */
class ReachedRevisions {
  private waiting: { readonly revision: number; readonly resolve: () => void }[] = [];

  wait(revision: number): Promise<void> {
    return new Promise((resolve) => this.waiting.push({ revision, resolve }));
  }

  /** `Infinity` releases all waits. */
  notify(reached: number): void {
    if (this.waiting.length === 0) return;
    for (const { revision, resolve } of this.waiting) if (revision <= reached) resolve();
    this.waiting = this.waiting.filter(({ revision }) => revision > reached);
  }
}

/** Dependencies shared by all entries. */
interface EntryOwner {
  readonly revision: number;
  beginSearch(entry: StandingEntry): void;
  renew(entry: StandingEntry, query: StandingQuery): Promise<void>;
  endSearch(entry: StandingEntry, members: ReadonlySet<string>): void;
  end(entry: StandingEntry): void;
}

const NO_MEMBERS: ReadonlySet<string> = new Set();

/** A registered query. There are thousands of long-lived ones: a class shares its functions. */
class StandingEntry implements Standing {
  readonly id: number;
  query: StandingQuery;
  /** Never evaluated since it was registered. */
  isOutdated = true;
  readonly onAffected: (urgency: Urgency) => void;
  members = NO_MEMBERS;
  /** Memories that were changed while an answer is looked for. */
  changedMeanwhile: Set<string> | undefined = undefined;
  /** Releases the namespace. */
  readonly leave: (() => void) | undefined;
  private readonly owner: EntryOwner;

  constructor(
    owner: EntryOwner,
    { id, query, onAffected, leave }: Pick<StandingEntry, 'id' | 'query' | 'onAffected' | 'leave'>,
  ) {
    this.id = id;
    this.query = query;
    this.onAffected = onAffected;
    this.leave = leave;
    this.owner = owner;
  }

  get revision(): number {
    return this.owner.revision;
  }

  beginSearch(): void {
    this.owner.beginSearch(this);
  }

  renew(query: StandingQuery): Promise<void> {
    return this.owner.renew(this, query);
  }

  setMembers(ids: readonly string[]): void {
    this.owner.endSearch(this, ids.length === 0 ? NO_MEMBERS : new Set(ids));
  }

  end(): void {
    this.owner.end(this);
  }
}
