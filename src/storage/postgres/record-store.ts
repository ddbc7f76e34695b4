import type { Idempotency } from '../../memory/call.ts';
import { type Clock, systemClock } from '../../memory/clock.ts';
import { MnemeError } from '../../memory/errors.ts';
import { currentFence } from '../job-fence.ts';
import type { LoggedRecords, LogLimits, RecordChanges } from '../record-log.ts';
import type { Change, ChangeKind, ChangeOf, DeleteOutcome, Outcome, PostponeWrite } from '../records.ts';
import { namespaceOf, requestOf } from '../rules/change-draft.ts';
import { keptOutcome } from '../rules/kept-outcome.ts';
import { Slots } from '../slots.ts';
import type { Answer, Asked } from '../view.ts';
import { BodyUpkeep } from './body-upkeep.ts';
import { jobOf } from './change-job.ts';
import { ChangeListener } from './change-listener.ts';
import { changesOf } from './changes.ts';
import type { PoolOptions } from './connection-pool.ts';
import type { PostgresAccess, PostgresCore } from './core.ts';
import { PostgresDatabase, type Session } from './database.ts';
import { deleteNamespace } from './delete-namespace.ts';
import { despiteConflicts } from './driver-error.ts';
import { eraseLeftovers } from './erase-leftovers.ts';
import { checkFence } from './fence.ts';
import { NamespaceLanes, type QueueLimits } from './lanes.ts';
import { keptOf, selectOutcomes } from './loaded-namespace.ts';
import { writeNamespace } from './namespace-lane.ts';
import { namespaceOf as namespaceOfRow } from './namespace-rows.ts';
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
  sizesOf,
} from './reads.ts';
import { PostgresReembeddings } from './reembedding/reembedding-store.ts';
import { PostgresScopePolicies } from './scope-policies.ts';
import { isReadOnly, readServerFacts, type ServerFacts } from './server-facts.ts';
import { changeSettingsForAll, readTierSettings, setMaintained } from './tier-settings.ts';
import { trimLogs } from './trim-log.ts';
import { postpone, Upkeep } from './upkeep.ts';
import { BYTES_AROUND } from './write-bytes.ts';

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
  /** Access for other data beside the records. */
  readonly access: PostgresAccess;
  /** Parts for the other stores on the same PostgreSQL. */
  readonly core: PostgresCore;
  private readonly database: PostgresDatabase;
  private readonly lanes: NamespaceLanes;
  private readonly clock: Clock;
  private readonly onFailure: (error: unknown) => void;
  private readonly upkeep: Upkeep;
  /** Bodies in another store. */
  readonly bodies: BodyUpkeep;
  private readonly listeners = new Set<ChangeListener>();
  private readonly revisionOfView: () => number;
  private newest: number;
  private closing: Promise<void> | undefined;

  constructor(
    database: PostgresDatabase,
    options: PostgresRecordsOptions,
    opened: { readonly revision: number; readonly facts: ServerFacts },
  ) {
    this.database = database;
    this.clock = options.clock ?? systemClock;
    this.revisionOfView = options.revisionFloor ?? (() => 0);
    this.onFailure = options.onFailure ?? (() => undefined);
    this.facts = opened.facts;
    this.newest = opened.revision;
    this.upkeep = new Upkeep(database, this.clock, this.onFailure);
    this.core = {
      database,
      // Half of the connections, so that reads do not wait for writes.
      slots: new Slots(Math.max(1, Math.floor(database.connectionsMax / 2))),
      limits: options.queue,
      retentionUs: (options.idempotencyRetentionMs ?? RETENTION_MS) * 1000,
      connection: options,
      revisionFloor: () => (options.revisionFloor ? this.revision : 0),
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

  /** Later changes have higher ones, in the records and in the log of a view. */
  get revision(): number {
    return Math.max(this.newest, this.revisionOfView());
  }
  get queuedCount(): number {
    return this.lanes.queuedCount;
  }

  write<K extends ChangeKind>(change: ChangeOf<K>): Promise<Outcome<K>> {
    const outcome = this.run(change as Change) as Promise<Outcome<K>>;
    return outcome;
  }

  private async run(change: Change): Promise<Outcome<ChangeKind>> {
    switch (change.kind) {
      case 'postponeEmbedding':
        return this.postpone(change);
      case 'setMaintained':
        return this.transaction((session) => setMaintained(session, change.namespace, change.atUs));
      case 'deleteNamespace':
        return this.deleteNamespace(change);
      case 'setTierSettings':
        if (change.namespace !== '') return this.access.submit(change.namespace, jobOf(change));
        return this.transaction((session) => changeSettingsForAll(session, change.settings));
      default:
        return this.access.submit(namespaceOf(change), jobOf(change));
    }
  }

  /** Changes nothing that a reader of the log follows. */
  private async postpone({ items, notBeforeUs }: PostponeWrite): Promise<undefined> {
    this.checkOpen();
    if (items.length > 0) await this.transaction((session) => postpone(session, items, notBeforeUs));
  }

  private async deleteNamespace(change: Change<'deleteNamespace'>): Promise<DeleteOutcome> {
    const outcome = await this.access.submit(change.name, {
      ids: [],
      bytes: BYTES_AROUND,
      ...requestOf(change),
      isAlone: true,
      run: (draft, session, loaded) => deleteNamespace(change, draft, session, loaded),
    });
    this.upkeep.run(() => eraseLeftovers(this.upkeep.step));
    this.bodies.erase();
    return outcome;
  }

  async getNamespace(name: string): Answer<'getNamespace'> {
    return namespaceOfRow(await this.read((session) => readNamespace(session, name), 'readInCall'));
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

  tierSettings(namespace: string): Answer<'tierSettings'> {
    return this.read((session) => readTierSettings(session, namespace), 'readInCall');
  }

  async maintainedAtUs(namespace: string): Promise<number | undefined> {
    const { maintained_at_us: atUs } = await this.read((session) => readNamespace(session, namespace));
    return atUs ?? undefined;
  }

  describe(): Answer<'describe'> {
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
