import { randomBytes } from 'node:crypto';
import type { Idempotency } from '../../memory/call.ts';
import { isDamage, MnemeError } from '../../memory/errors.ts';
import type { Content, Embedding } from '../../memory/memory.ts';
import type { CommitMeter } from '../../memory/meters.ts';
import { recordedSpan } from '../../search/threads/span.ts';
import type { ThreadSource } from '../../search/threads/thread-source.ts';
import type { ChangeLog } from '../change-log/change-log.ts';
import type { Records } from '../records.ts';
import type { SessionOp } from '../session-store.ts';
import { bytesOfOps } from '../sessions/bytes-of-ops.ts';
import type { SubscriptionStore } from '../subscription-store.ts';
import type { Answer, Asked, View } from '../view.ts';
import { SqliteScopePolicies } from './agents/scope-policies.ts';
import type { Command, CommandOf, Commands, Verb } from './commands/command.ts';
import { FoundDamage } from './damage/found-damage.ts';
import { databaseFileIn, type SqliteDatabase } from './database.ts';
import { damagedFolder, translated } from './driver-error.ts';
import { type Folder, openFolder } from './folder.ts';
import { GroupCommit } from './group-commit.ts';
import { keptOutcome } from './idempotency.ts';
import { namespaceFromRow, namespaceOf, readNamespaces } from './namespace-rows.ts';
import { getMemories, revisionsOf } from './queries/get.ts';
import { listMemories } from './queries/list.ts';
import { pendingEmbeddings } from './queries/pending-embeddings.ts';
import { maintainedAtUs, namespaceSize, tierMembers, tierSettings, tierTotals } from './queries/tiers.ts';
import { runScan, type Scan, type ScanRequest, type ScanResult, SharedReader } from './scan.ts';
import { sqliteRecordCopies, sqliteReembeddings } from './store-parts.ts';
import { sqliteStreams } from './streams.ts';
import { deletedKeysAmong, derivedBytes, dropFilesOfDeleted, spaceIn } from './view-space.ts';
import type { QueueLimits } from './write-queue.ts';
import type { WriterOptions } from './writer-thread.ts';

/** Fails with FolderError, in one line, when the folder cannot be used. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteMemoryStore> {
  const folder = openFolder(options.folder);
  const writing = writerOptionsOf(options, databaseFileIn(folder.path));
  const commits = new GroupCommit(writing, options.queue, options.writerThreads, options.mayUpkeepWait);
  try {
    await commits.open();
    const store = new SqliteMemoryStore(folder, commits, { ...options, term: writing.term });
    // Files of deleted namespaces take space, and nothing else.
    await store.dropFilesOfDeleted().catch((error: unknown) => options.onFilesKept?.(error));
    return store;
  } catch (error) {
    await commits.close();
    folder.release();
    throw isDamage(error) ? damagedFolder(folder.path, error) : error;
  }
}

/** Writes go to the writer thread, scans to the scan thread; point reads run here, on a read-only connection. */
export class SqliteMemoryStore implements Records, View {
  readonly isShared = false;
  /** Where the folder is a view: the copies in it. */
  readonly copies = sqliteRecordCopies(this);
  readonly reembedding = sqliteReembeddings(this);
  /** The change log of the store, and the durable subscriptions to it. */
  readonly streams: ChangeLog & SubscriptionStore;
  private readonly folder: Folder;
  private readonly commits: GroupCommit;
  private readonly reader: SharedReader;
  private readonly scanElsewhere: Scan | undefined;
  readonly policies = new SqliteScopePolicies(this);
  readonly reached = async (): Promise<number> => this.revision;
  /** Damaged pages that reads and writes have met. */
  readonly damage = new FoundDamage();
  private closing: Promise<void> | undefined;

  constructor(folder: Folder, commits: GroupCommit, options: SqliteStoreOptions & { readonly term: string }) {
    this.folder = folder;
    this.commits = commits;
    this.reader = new SharedReader(folder.path);
    commits.onSettling = () => this.renewReads();
    if (commits.hasLostEntries) this.damage.note('log');
    this.scanElsewhere = options.scan;
    this.streams = sqliteStreams({
      revision: () => this.revision,
      listeners: commits.listeners,
      term: { id: options.term, startRevision: commits.revision },
      read: (query) => this.read(query),
      write: (command) => this.write(command),
    });
  }

  get revision(): number {
    return this.commits.revision;
  }
  get queuedCount(): number {
    return this.commits.queuedCount;
  }
  measure(meter: CommitMeter): void {
    this.commits.meter = meter;
  }
  get(read: Asked<'get'>): Answer<'get'> {
    const around = () => this.scan({ kind: 'get', read });
    return this.aroundDamage(() => this.read((database) => getMemories(database, read)), around);
  }
  /** Pages in the order of an index are read on this thread. */
  list(read: Asked<'list'>): Answer<'list'> {
    const scan = async () => this.damage.notedIn(await this.scan({ kind: 'list', read }));
    const isPlain = !read.filter && !read.order.startsWith('step');
    if (!isPlain || this.damage.pageCount > 0) return scan();
    const plain = async () => {
      return this.damage.notedIn(await this.withUpkeep(() => this.read((database) => listMemories(database, read))));
    };
    return this.aroundDamage(plain, scan);
  }

  /** Where a page of the file is damaged, reads once more, on the scan thread and around the damage. */
  private async aroundDamage<A>(read: () => Promise<A>, around: () => Promise<A>): Promise<A> {
    const seen = this.damage.pageCount;
    try {
      return await read();
    } catch (error) {
      if (this.damage.pageCount === seen) throw error;
      return around();
    }
  }

  count(read: Asked<'count'>): Answer<'count'> {
    return this.scan({ kind: 'count', read });
  }
  revisions(read: Asked<'revisions'>): Answer<'revisions'> {
    return this.read((database) => revisionsOf(database, read));
  }
  outcomeOf(namespace: string, idempotency: Idempotency): Promise<unknown> {
    return this.readTotals((database) => keptOutcome(database, namespace, idempotency)?.outcome);
  }
  getNamespace(name: string): Answer<'getNamespace'> {
    return this.read((database) => namespaceFromRow(database, namespaceOf(database, name)));
  }
  listNamespaces(read: Asked<'listNamespaces'>): Answer<'listNamespaces'> {
    return this.read((database) => readNamespaces(database, read.afterName ?? '', read.limit));
  }
  listScopes(read: Asked<'listScopes'>): Answer<'listScopes'> {
    return this.scan({ kind: 'listScopes', read });
  }
  statistics(namespace?: string): Answer<'statistics'> {
    return this.scan({ kind: 'statistics', read: { namespace } });
  }
  pendingEmbeddings(read: Asked<'pendingEmbeddings'>): Answer<'pendingEmbeddings'> {
    return this.read((database) => pendingEmbeddings(database, read));
  }
  expired(read: Asked<'expired'>): Answer<'expired'> {
    return this.scan({ kind: 'expired', read });
  }
  members(read: Asked<'members'>): Answer<'members'> {
    return this.readTotals((database) => tierMembers(database, read));
  }
  totals(namespace?: string): Answer<'totals'> {
    return this.readTotals((database) => tierTotals(database, namespace));
  }
  size(namespace: string): Answer<'size'> {
    return this.readTotals((database) => namespaceSize(database, namespace));
  }
  tierSettings(namespace: string): Answer<'tierSettings'> {
    return this.read((database) => tierSettings(database, namespace));
  }
  maintainedAtUs(namespace: string): Answer<'maintainedAtUs'> {
    return this.read((database) => maintainedAtUs(database, namespace));
  }

  /** Space of the database without its free pages, and of the files made from it. */
  async space(): Promise<{ readonly bytes: number; readonly isErasing: boolean }> {
    const [{ bytes, isErasing }, derived] = await Promise.all([
      this.read(spaceIn),
      derivedBytes(databaseFileIn(this.folder.path)),
    ]);
    return { bytes: bytes + derived, isErasing };
  }
  eraseLeftovers(): Promise<{ readonly isDone: boolean }> {
    return this.write({ kind: 'eraseLeftovers' });
  }
  /** Deletes files that are made from deleted namespaces. */
  async dropFilesOfDeleted(): Promise<void> {
    const deletedAmong = (keys: readonly number[]) => this.read((database) => deletedKeysAmong(database, keys));
    try {
      await dropFilesOfDeleted(databaseFileIn(this.folder.path), deletedAmong);
    } catch (error) {
      // The damage is noted; until it is repaired, nobody knows which namespaces there are.
      if (!isDamage(error)) throw error;
    }
  }

  describe(): Answer<'describe'> {
    const version = this.reader.read((database) => database.prepare('SELECT sqlite_version()').pluck().get());
    return [{ role: 'memories', technology: `sqlite ${version}`, durability: 'power loss' }];
  }

  close(): Promise<void> {
    this.closing ??= this.finish();
    return this.closing;
  }

  private async finish(): Promise<void> {
    this.renewReads();
    await this.commits.close();
    this.reader.close();
    this.folder.release();
  }

  write<V extends Verb>(command: CommandOf<V>): Promise<Commands[V]['outcome']> {
    const sent = withOwnBytes(command as Command);
    const written = this.commits.submit(sent, bytesOfWrite(sent));
    written.catch((error: unknown) => this.damage.noted(error));
    const outcome = this.policies.after(sent, written) as Promise<Commands[V]['outcome']>;
    return outcome;
  }

  /** To be called when another thread reports a newer state than the reads here have seen. */
  renewReads(): void {
    this.reader.renew();
  }

  /** Sees every write that was acknowledged before the call. */
  async read<A>(query: (database: SqliteDatabase) => A): Promise<A> {
    if (!this.reader.isReadable) throw new MnemeError('DRAINING', 'the store is closed');
    const span = recordedSpan()?.child('sqlite read', { attributes: { 'db.system.name': 'sqlite' } });
    try {
      return this.reader.read(query);
    } catch (error) {
      throw this.damage.noted(translated(error));
    } finally {
      span?.end();
    }
  }

  /** Reads indexes, totals and outcomes, which upkeep writes. */
  private readTotals<A>(query: (database: SqliteDatabase) => A): Promise<A> {
    return this.commits.withUpkeep(() => this.read(query), true);
  }

  /** Runs a read that may take long. */
  async scan<R extends ScanRequest>(request: R): Promise<ScanResult<R>> {
    if (!this.reader.isReadable) throw new MnemeError('DRAINING', 'the store is closed');
    const scan = async (): Promise<ScanResult<R>> => {
      try {
        if (this.scanElsewhere) return await this.scanElsewhere(request);
        return this.reader.read((database) => runScan(database, request));
      } catch (error) {
        throw this.damage.noted(error);
      }
    };
    return request.kind === 'expired' ? scan() : this.withUpkeep(scan);
  }

  /** Runs a read of indexes and totals, which then have all acknowledged writes. */
  withUpkeep<A>(read: () => Promise<A>): Promise<A> {
    return this.commits.withUpkeep(read);
  }
}

const RETENTION_MS = 24 * 60 * 60 * 1000;
const TERM_BYTES = 8;

export interface SqliteStoreOptions {
  /** Data folder; created if needed. */
  readonly folder: string;
  /** Runs reads that may take long; without it they run on the caller's thread. */
  readonly scan?: Scan;
  readonly queue?: Partial<QueueLimits>;
  /** Retention of outcomes for repeated requests. */
  readonly idempotencyRetentionMs?: number;
  /** Size of the database above which writes fail as on a full disk. */
  readonly databaseBytesMax?: number;
  /**
   * Stores of single memories may leave indexes and totals to later transactions (`upkeep.ts`): readers of the database
   * outside the store then read them in `withUpkeep`.
   */
  readonly mayUpkeepWait?: boolean;
  /** Source of writer threads; a thread of its own by default. */
  readonly writerThreads?: ThreadSource;
  /** Called when files of deleted namespaces could not be deleted; the next opening tries again. */
  readonly onFilesKept?: (error: unknown) => void;
  /** Unique name of the writes of this opening of the folder. */
  readonly newTerm?: () => string;
}

function writerOptionsOf(
  { idempotencyRetentionMs = RETENTION_MS, databaseBytesMax = 0, newTerm = randomTerm }: SqliteStoreOptions,
  databaseFile: string,
): WriterOptions {
  return { databaseFile, retentionUs: idempotencyRetentionMs * 1000, bytesMax: databaseBytesMax, term: newTerm() };
}

const randomTerm = (): string => randomBytes(TERM_BYTES).toString('base64url');

/** Approximate size of a memory without its text and bytes: names, times, numbers. */
const BYTES_AROUND = 500;

interface Bytes {
  readonly content?: Content;
  readonly embedding?: Embedding | null;
}

/** The command with its bytes in buffers of their own. */
function withOwnBytes(command: Command): Command {
  switch (command.kind) {
    case 'store':
      return { ...command, memories: command.memories.map(ownBytesOf) };
    case 'update':
      return { ...command, changes: ownBytesOf(command.changes) };
    case 'setEmbeddings':
      return { ...command, vectors: command.vectors.map(ownBytesOf) };
    default:
      return command;
  }
}

/**
 * Copies bytes into buffers of their own. A message to another thread carries the whole buffer under a view, and bytes
 * from the network are views of a much larger buffer.
 */
function ownBytesOf<W extends Bytes>(write: W): W {
  const { content, embedding } = write;
  const isContentShared = content !== undefined && content.data.byteLength !== content.data.buffer.byteLength;
  const isVectorShared = embedding && embedding.values.byteLength !== embedding.values.buffer.byteLength;
  if (!isContentShared && !isVectorShared) return write;
  return {
    ...write,
    ...(isContentShared && { content: { ...content, data: new Uint8Array(content.data) } }),
    ...(isVectorShared && { embedding: { ...embedding, values: new Float32Array(embedding.values) } }),
  };
}

interface Sized extends Bytes {
  readonly text?: string;
}

/** Approximate bytes that a command occupies in the queue. */
function bytesOfWrite(command: object): number {
  const parts = command as {
    memories?: Sized[];
    vectors?: Sized[];
    changes?: Sized;
    ids?: string[];
    ops?: SessionOp[];
  };
  if (parts.ops) return BYTES_AROUND + bytesOfOps(parts.ops);
  const memories = [...(parts.memories ?? []), ...(parts.vectors ?? []), ...(parts.changes ? [parts.changes] : [])];
  return BYTES_AROUND + (parts.ids?.length ?? 0) * 40 + memories.reduce((sum, memory) => sum + bytesOf(memory), 0);
}

function bytesOf({ text, content, embedding }: Sized): number {
  return BYTES_AROUND + (text?.length ?? 0) + (content?.data.byteLength ?? 0) + (embedding?.values.byteLength ?? 0);
}
