import type { Idempotency } from '../../memory/call.ts';
import { type Clock, systemClock } from '../../memory/clock.ts';
import { MnemeError } from '../../memory/errors.ts';
import { changedNamespace, idsOfStore } from '../changed-memory.ts';
import { currentFence } from '../job-fence.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { LoggedRecords, LogLimits, RecordChanges } from '../record-log.ts';
import { keptOutcome } from '../rules/kept-outcome.ts';
import { deleteInScopes, idsOfUpdate, storeInScopes, updateInScopes } from '../rules/write-in-scopes.ts';
import { embedLater, moveMemories, touchMemories } from '../rules/write-memories.ts';
import { Slots } from '../slots.ts';
import type { TierStore } from '../tier-store.ts';
import type { PostgresAccess } from './access.ts';
import { BodyUpkeep } from './body-upkeep.ts';
import { ChangeListener } from './change-listener.ts';
import { changesOf } from './changes.ts';
import type { PoolOptions } from './connection-pool.ts';
import type { PostgresCore } from './core.ts';
import { PostgresDatabase, type Session } from './database.ts';
import { deleteNamespace } from './delete-namespace.ts';
import { despiteConflicts } from './driver-error.ts';
import { eraseLeftovers } from './erase-leftovers.ts';
import { checkFence } from './fence.ts';
import type { QueueLimits } from './lanes.ts';
import { keptOf, type NamespaceDraft, selectOutcomes } from './loaded-namespace.ts';
import { sizesOf } from './memory-sizes.ts';
import { fill, namespaceJob } from './namespace-job.ts';
import { writeNamespace } from './namespace-lane.ts';
import { NamespaceLanes } from './namespace-lanes.ts';
import { namespaceOf } from './namespace-rows.ts';
import { openTables } from './open-tables.ts';
import {
  copiesOf,
  expiredMemories,
  getMemories,
  idsOf,
  listNamespaces,
  loggedIds,
  newestRevision,
  pendingEmbeddings,
  readNamespace,
  revisionsOf,
} from './reads.ts';
import { PostgresReembeddings } from './reembedding/reembedding-store.ts';
import { PostgresScopePolicies } from './scope-policies.ts';
import { isReadOnly, readServerFacts, type ServerFacts } from './server-facts.ts';
import { changedSettings, changeSettingsForAll, readTierSettings, setMaintained } from './tier-settings.ts';
import { trimLogs } from './trim-log.ts';
import { postpone, Upkeep } from './upkeep.ts';
import { bytesOf } from './write-bytes.ts';

type Asked<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: infer A) => unknown ? A[0] : never;
type Answer<K extends keyof MemoryStore> = MemoryStore[K] extends (...asked: never[]) => infer A ? A : never;

export interface PostgresRecordsOptions extends PoolOptions {
  readonly clock?: Clock;
  readonly queue?: Partial<QueueLimits>;
  /** Retention of outcomes for repeated requests. */
  readonly idempotencyRetentionMs?: number;
  /** New revisions are above this one, such as the newest of a view, so that readers of its log know which are new. */
  readonly revisionFloor?: () => number;
  /** Called when work in the background has failed; later work repeats it. */
  readonly onFailure?: (error: unknown) => void;
}

const RETENTION_MS = 24 * 60 * 60 * 1000;

export async function openPostgresRecords(options: PostgresRecordsOptions): Promise<PostgresRecords> {
  const database = new PostgresDatabase(options);
  try {
    await openTables(database);
    const { revision, facts } = await database.read(async (session) => ({
      revision: await newestRevision(session),
      facts: await readServerFacts(session),
    }));
    return new PostgresRecords(database, options, { revision, facts });
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Memories of all tiers, namespaces, settings and outcomes in PostgreSQL, with the change log of each namespace. A write
 * locks its namespace, so that the log has the order of the commits; it is worked out by the rules of `rules/` on the
 * rows that it concerns. Nothing here searches: lists, counts and totals need a projection that follows the log.
 */
export class PostgresRecords implements LoggedRecords {
  /** Every read sees the writes of any server. */
  readonly isShared = true;
  readonly policies: PostgresScopePolicies;
  readonly reembeddings: PostgresReembeddings;
  readonly facts: ServerFacts;
  /** For other data beside the records. */
  readonly access: PostgresAccess;
  /** For the other stores on the same PostgreSQL. */
  readonly core: PostgresCore;
  private readonly database: PostgresDatabase;
  private readonly lanes: NamespaceLanes;
  private readonly clock: Clock;
  private readonly onFailure: (error: unknown) => void;
  private readonly upkeep: Upkeep;
  /** Bodies in another store. */
  readonly bodies: BodyUpkeep;
  private readonly listeners = new Set<ChangeListener>();
  private newest: number;
  private closing: Promise<void> | undefined;

  constructor(
    database: PostgresDatabase,
    options: PostgresRecordsOptions,
    opened: { readonly revision: number; readonly facts: ServerFacts },
  ) {
    this.database = database;
    this.clock = options.clock ?? systemClock;
    this.onFailure = options.onFailure ?? (() => undefined);
    this.facts = opened.facts;
    this.newest = opened.revision;
    this.upkeep = new Upkeep(database, this.clock, this.onFailure);
    this.core = {
      database,
      // Half of the connections, so that reads do not wait for writes.
      slots: new Slots(Math.max(1, Math.floor(database.connectionsMax / 2))),
      ...(options.queue && { limits: options.queue }),
      retentionUs: (options.idempotencyRetentionMs ?? RETENTION_MS) * 1000,
      connection: options,
      revisionFloor: options.revisionFloor ?? (() => 0),
      onCommit: (revision) => {
        this.newest = Math.max(this.newest, revision);
      },
      onFailure: this.onFailure,
      upkeep: this.upkeep,
    };
    this.bodies = new BodyUpkeep(database, this.upkeep, this.clock, this.onFailure);
    const writes = { ...this.core, onBodiesLeft: this.bodies.erase };
    this.lanes = new NamespaceLanes({ ...this.core, carryOut: (name, jobs) => writeNamespace(writes, name, jobs) });
    this.access = {
      submit: (namespace, job) =>
        this.lanes.submit(namespace, { ...job, idempotency: this.upkeep.noted(job.idempotency) }),
      read: (work) => this.read(work),
      readInCall: (work) => this.read(work, 'readInCall'),
      snapshot: async (work) => {
        this.checkOpen();
        return this.database.snapshot(work);
      },
      transaction: (work) => this.transaction(work),
    };
    this.policies = new PostgresScopePolicies(this.access);
    const erase = () => this.upkeep.run(() => eraseLeftovers(this.upkeep.step));
    this.reembeddings = new PostgresReembeddings({ access: this.access, eraseLeftovers: erase });
    // A server may have ended before it had erased all rows of a deleted namespace.
    erase();
  }

  get revision(): number {
    return this.newest;
  }
  get queuedCount(): number {
    return this.lanes.queuedCount;
  }

  store(write: Asked<'store'>): Answer<'store'> {
    const { namespace, createNamespace: createsNamespace, atUs, idempotency } = write;
    return this.lanes.submit(namespace, {
      ids: idsOfStore(write),
      atUs,
      idempotency: this.upkeep.noted(idempotency),
      bytes: bytesOf(write.memories),
      createsNamespace,
      run: (draft) => {
        if (!draft.isThere) fill(draft, { name: namespace, description: '', memoryLimit: 0, atUs });
        return storeInScopes(draft, write);
      },
    });
  }

  update(write: Asked<'update'>): Answer<'update'> {
    const { namespace, atUs, idempotency, successor, changes } = write;
    return this.lanes.submit(namespace, {
      ids: idsOfUpdate(write),
      atUs,
      idempotency: this.upkeep.noted(idempotency),
      bytes: bytesOf([changes, ...(successor ? [successor] : [])]),
      run: (draft) => updateInScopes(draft, write),
    });
  }

  delete(write: Asked<'delete'>): Answer<'delete'> {
    const { namespace, ids, atUs, idempotency, outcomeToKeep: toKeep } = write;
    return this.lanes.submit(namespace, {
      ids,
      atUs,
      idempotency: this.upkeep.noted(idempotency),
      toKeep,
      view: 'metadata',
      bytes: bytesOf(ids),
      run: (draft) => deleteInScopes(draft, write),
    });
  }

  touch({ namespace, ids, atUs }: Asked<'touch'>): Answer<'touch'> {
    const run = (draft: NamespaceDraft) => touchMemories(draft, ids, atUs);
    return this.lanes.submit(namespace, { ids, atUs, view: 'metadata', bytes: bytesOf(ids), run });
  }

  setEmbeddings({ namespace, vectors }: Asked<'setEmbeddings'>): Answer<'setEmbeddings'> {
    return this.lanes.submit(namespace, {
      ids: vectors.map(({ id }) => id),
      atUs: this.clock.nowUs(),
      view: 'metadata',
      bytes: bytesOf(vectors),
      run: (draft) => embedLater(draft, vectors),
    });
  }

  move(write: Parameters<TierStore['move']>[0]): ReturnType<TierStore['move']> {
    const { namespace, ids, atUs } = write;
    const run = (draft: NamespaceDraft) => moveMemories(draft, write);
    return this.lanes.submit(namespace, { ids, atUs, view: 'metadata', bytes: bytesOf(ids), run });
  }

  /** Changes nothing that a reader of the log follows. */
  async postponeEmbedding({ items, notBeforeUs }: Asked<'postponeEmbedding'>): Answer<'postponeEmbedding'> {
    this.checkOpen();
    if (items.length === 0) return;
    await this.transaction((session) => postpone(session, items, notBeforeUs));
  }

  createNamespace(write: Asked<'createNamespace'>): Answer<'createNamespace'> {
    const { name, atUs, idempotency } = write;
    return this.lanes.submit(name, {
      ...namespaceJob(atUs, this.upkeep.noted(idempotency)),
      createsNamespace: true,
      run: (draft) => {
        if (draft.isThere) {
          const full = `namespaces/${name}`;
          throw new MnemeError('NAMESPACE_EXISTS', `${full} already exists`, { metadata: { name: full } });
        }
        fill(draft, write);
        return { revision: draft.revision, namespace: draft.namespace };
      },
    });
  }

  updateNamespace(write: Asked<'updateNamespace'>): Answer<'updateNamespace'> {
    const { name, atUs, idempotency } = write;
    return this.lanes.submit(name, {
      ...namespaceJob(atUs, this.upkeep.noted(idempotency)),
      run: (draft) => {
        draft.namespace = { ...changedNamespace(draft.namespace, write), revision: draft.revision + 1 };
        draft.revision++;
        return { revision: draft.revision, namespace: draft.namespace };
      },
    });
  }

  async deleteNamespace(write: Asked<'deleteNamespace'>): Answer<'deleteNamespace'> {
    const { name, atUs, idempotency } = write;
    const outcome = await this.lanes.submit(name, {
      ...namespaceJob(atUs, this.upkeep.noted(idempotency)),
      isAlone: true,
      run: (draft, session, loaded) => deleteNamespace(write, draft, session, loaded),
    });
    this.upkeep.run(() => eraseLeftovers(this.upkeep.step));
    this.bodies.erase();
    return outcome;
  }

  async getNamespace(name: string): Answer<'getNamespace'> {
    return namespaceOf(await this.read((session) => readNamespace(session, name), 'readInCall'));
  }
  listNamespaces(read: Asked<'listNamespaces'>): Answer<'listNamespaces'> {
    return this.read((session) => listNamespaces(session, read), 'readInCall');
  }

  get(read: Asked<'get'>): Answer<'get'> {
    return this.read((session) => getMemories(session, read), 'readInCall');
  }
  revisions(read: Asked<'revisions'>): Answer<'revisions'> {
    return this.read((session) => revisionsOf(session, read), 'readInCall');
  }
  pendingEmbeddings(read: Asked<'pendingEmbeddings'>): Answer<'pendingEmbeddings'> {
    return this.read((session) => pendingEmbeddings(session, read));
  }
  expired(read: Asked<'expired'>): Answer<'expired'> {
    return this.read((session) => expiredMemories(session, read));
  }
  /** Ids of all memories of a namespace, in the order of storing. */
  allIds(namespace: string): AsyncIterable<string> {
    return idsOf((work) => this.read(work), namespace);
  }
  /** Complete copies of the existing memories, in the order of storing. */
  copies(read: Parameters<LoggedRecords['copies']>[0]): ReturnType<LoggedRecords['copies']> {
    return this.read((session) => copiesOf(session, read));
  }
  sizes({ namespace, ids }: Parameters<LoggedRecords['sizes']>[0]): ReturnType<LoggedRecords['sizes']> {
    return this.read(async (session) => sizesOf(session, await readNamespace(session, namespace), ids));
  }
  changes(read: Parameters<LoggedRecords['changes']>[0]): Promise<RecordChanges> {
    return changesOf(this.access, read);
  }
  loggedIds(read: Parameters<LoggedRecords['loggedIds']>[0]): Promise<readonly string[]> {
    return this.read((session) => loggedIds(session, read));
  }
  trimLogs(limits: LogLimits, signal: AbortSignal): Promise<number> {
    return trimLogs(this.access, limits, this.clock.nowUs(), signal);
  }
  follow(onChange: (namespace: string) => void): () => void {
    const listener = new ChangeListener({ ...this.core, onChange });
    this.listeners.add(listener);
    // `close` waits for its end.
    return () => void listener.end().catch(this.onFailure);
  }
  async outcomeOf(namespace: string, idempotency: Idempotency): Promise<unknown> {
    const query = selectOutcomes(namespace, [idempotency.requestId]);
    const [row] = await this.read((session) => session.run(query), 'readInCall');
    return keptOutcome(row && keptOf(row), idempotency, 0)?.outcome;
  }

  tierSettings(namespace: string): ReturnType<TierStore['tierSettings']> {
    return this.read((session) => readTierSettings(session, namespace), 'readInCall');
  }

  async setTierSettings(write: Parameters<TierStore['setTierSettings']>[0]): Promise<void> {
    const { namespace, settings, atUs } = write;
    if (namespace === '') return this.transaction((session) => changeSettingsForAll(session, settings));
    const run = (draft: NamespaceDraft) => {
      draft.namespace = { ...draft.namespace, settings: changedSettings(draft.namespace.settings, settings) };
    };
    return this.lanes.submit(namespace, { ...namespaceJob(atUs), run });
  }

  async setMaintained({ namespace, atUs }: { namespace: string; atUs: number }): Promise<void> {
    await this.transaction((session) => setMaintained(session, namespace, atUs));
  }
  async maintainedAtUs(namespace: string): Promise<number | undefined> {
    const { maintained_at_us: atUs } = await this.read((session) => readNamespace(session, namespace));
    return atUs ?? undefined;
  }

  describe(): { role: string; technology: string; durability: string }[] {
    const { technology, durability } = this.facts;
    return [{ role: 'memories', technology, durability }, ...this.bodies.describe()];
  }

  /** Resolves to whether PostgreSQL refuses writes; fails where it does not answer. */
  isReadOnly(): Promise<boolean> {
    return this.read(isReadOnly);
  }

  /** Resolves when no work runs in the background. */
  async settled(): Promise<void> {
    await Promise.all([this.upkeep.settled, this.bodies.settled]);
  }

  close(): Promise<void> {
    this.closing ??= this.finish();
    return this.closing;
  }

  private async finish(): Promise<void> {
    await this.lanes.close();
    for (const listener of this.listeners) await listener.end();
    await Promise.all([this.bodies.end(), this.upkeep.end()]);
    await this.database.close();
  }

  private read<T>(work: (session: Session) => Promise<T>, kind: 'read' | 'readInCall' = 'read'): Promise<T> {
    if (this.closing) return Promise.reject(new MnemeError('DRAINING', 'the store is closed'));
    return this.database[kind](work);
  }

  private async transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    this.checkOpen();
    const fence = currentFence();
    return despiteConflicts(() =>
      this.database.transaction(async (session) => {
        await checkFence(session, fence);
        return work(session);
      }),
    );
  }

  private checkOpen(): void {
    if (this.closing) throw new MnemeError('DRAINING', 'the store is closing: nothing more is stored');
  }
}
