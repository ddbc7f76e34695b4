import type { Idempotency } from '../../memory/call.ts';
import { type Clock, systemClock } from '../../memory/clock.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { ScopePolicy } from '../../memory/scope.ts';
import type { MemoryStore } from '../memory-store.ts';
import { PolicyCache } from './agents/policy-cache.ts';
import { policiesByName } from './agents/policy-rows.ts';
import type { Commands, Verb } from './commands/command.ts';
import { databaseFileIn, type SqliteDatabase } from './database.ts';
import { translated } from './driver-error.ts';
import { type Folder, openFolder } from './folder.ts';
import { GroupCommit } from './group-commit.ts';
import { keptOutcome } from './idempotency.ts';
import { namespaceFromRow, namespaceOf, readNamespaces } from './namespace-rows.ts';
import { bytesOfWrite, withOwnBytes } from './outgoing-write.ts';
import { getMemories } from './queries/get.ts';
import { listMemories } from './queries/list.ts';
import { pendingEmbeddings } from './queries/pending-embeddings.ts';
import { revisionsOf } from './queries/revisions.ts';
import { SqliteReembeddings } from './reembeddings.ts';
import { runScan, type Scan, type ScanRequest, type ScanResult } from './scan.ts';
import { SharedReader } from './shared-reader.ts';
import { type SqliteStoreOptions, writerOptionsOf } from './store-options.ts';
import { SqliteStreams } from './streams.ts';
import { SqliteTiers } from './tiers.ts';

type Reads<K extends keyof MemoryStore> = MemoryStore[K] extends (...read: infer R) => unknown ? R[0] : never;
type Answer<K extends keyof MemoryStore> = MemoryStore[K] extends (...read: never[]) => infer A ? A : never;

/** Fails with FolderError when the folder cannot be used, and says why in one line. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteMemoryStore> {
  const folder = openFolder(options.folder);
  const writing = writerOptionsOf(options, databaseFileIn(folder.path));
  const commits = new GroupCommit(writing, options.queue);
  try {
    await commits.open(options.writerThread);
    return new SqliteMemoryStore(folder, commits, { ...options, term: writing.term });
  } catch (error) {
    await commits.close();
    folder.release();
    throw error;
  }
}

/** Writes go to the writer thread, scans to the thread that scans; point reads run here, on a connection of their own. */
export class SqliteMemoryStore implements MemoryStore {
  readonly isShared = false;
  readonly tiers = new SqliteTiers({
    write: (verb, write) => this.write(verb, write),
    read: (query) => this.read(query),
  });
  readonly reembedding = new SqliteReembeddings({
    write: (verb, write) => this.write(verb, write),
    read: (query) => this.read(query),
  });
  /** Its change log, and the durable subscriptions to it. */
  readonly streams: SqliteStreams;
  private readonly folder: Folder;
  private readonly commits: GroupCommit;
  private readonly reader: SharedReader;
  private readonly clock: Clock;
  private readonly scanElsewhere: Scan | undefined;
  readonly policies = new PolicyCache();
  private closing: Promise<void> | undefined;

  constructor(folder: Folder, commits: GroupCommit, options: SqliteStoreOptions & { readonly term: string }) {
    this.folder = folder;
    this.commits = commits;
    this.reader = new SharedReader(folder.path);
    commits.onSettling = () => this.renewReads();
    this.clock = options.clock ?? systemClock;
    this.scanElsewhere = options.scan;
    this.streams = new SqliteStreams({
      revision: () => this.revision,
      listeners: commits.listeners,
      term: { id: options.term, startRevision: commits.revision },
      read: (query) => this.read(query),
      write: (verb, write) => this.write(verb, write),
    });
  }

  get revision(): number {
    return this.commits.revision;
  }
  get queuedCount(): number {
    return this.commits.queuedCount;
  }
  store(write: Reads<'store'>): Answer<'store'> {
    return this.write('store', { ...write, memories: write.memories.map(withOwnBytes) });
  }
  update(write: Reads<'update'>): Answer<'update'> {
    return this.write('update', { ...write, changes: withOwnBytes(write.changes) });
  }
  delete(write: Reads<'delete'>): Answer<'delete'> {
    return this.write('delete', write);
  }
  touch(write: Reads<'touch'>): Answer<'touch'> {
    return this.write('touch', write);
  }
  setEmbeddings(write: Reads<'setEmbeddings'>): Answer<'setEmbeddings'> {
    const vectors = write.vectors.map(withOwnBytes);
    return this.write('setEmbeddings', { ...write, vectors, atUs: this.clock.nowUs() });
  }
  postponeEmbedding(write: Reads<'postponeEmbedding'>): Answer<'postponeEmbedding'> {
    return this.write('postponeEmbedding', write);
  }
  createNamespace(write: Reads<'createNamespace'>): Answer<'createNamespace'> {
    return this.write('createNamespace', write);
  }
  updateNamespace(write: Reads<'updateNamespace'>): Answer<'updateNamespace'> {
    return this.write('updateNamespace', write);
  }
  deleteNamespace(write: Reads<'deleteNamespace'>): Answer<'deleteNamespace'> {
    return this.write('deleteNamespace', write);
  }

  get(read: Reads<'get'>): Answer<'get'> {
    return this.read((database) => getMemories(database, read));
  }
  /** Pages that an index gives in order are read right here. */
  list(read: Reads<'list'>): Answer<'list'> {
    const isPlain = !read.filter && !read.order.startsWith('step');
    return isPlain ? this.read((database) => listMemories(database, read)) : this.scan({ kind: 'list', read });
  }
  count(read: Reads<'count'>): Answer<'count'> {
    return this.scan({ kind: 'count', read });
  }
  revisions(read: Reads<'revisions'>): Answer<'revisions'> {
    return this.read((database) => revisionsOf(database, read));
  }
  outcomeOf(namespace: string, idempotency: Idempotency): Promise<unknown> {
    return this.read((database) => keptOutcome(database, namespace, idempotency)?.outcome);
  }
  getNamespace(name: string): Answer<'getNamespace'> {
    return this.read((database) => namespaceFromRow(database, namespaceOf(database, name)));
  }
  listNamespaces(read: Reads<'listNamespaces'>): Answer<'listNamespaces'> {
    return this.read((database) => readNamespaces(database, read.afterName ?? '', read.limit));
  }
  listScopes(read: Reads<'listScopes'>): Answer<'listScopes'> {
    return this.scan({ kind: 'listScopes', read });
  }
  statistics(namespace?: string): Answer<'statistics'> {
    return this.scan({ kind: 'statistics', read: { namespace } });
  }
  pendingEmbeddings(read: Reads<'pendingEmbeddings'>): Answer<'pendingEmbeddings'> {
    return this.read((database) => pendingEmbeddings(database, read));
  }
  expired(read: Reads<'expired'>): Answer<'expired'> {
    return this.scan({ kind: 'expired', read });
  }

  describe(): { role: string; technology: string; durability: string }[] {
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

  write<V extends Verb>(verb: V, write: Commands[V]['write']): Promise<Commands[V]['outcome']> {
    return this.policies.after(verb, write, this.commits.submit(verb, write, bytesOfWrite(write)));
  }

  scopePolicies(namespace: string): Promise<readonly ScopePolicy[]> {
    return this.policies.of(namespace, () => this.read((database) => policiesByName(database, namespace)));
  }

  /** To be called when another thread tells of a state that is newer than what was read here. */
  renewReads(): void {
    this.reader.renew();
  }

  async read<A>(query: (database: SqliteDatabase) => A): Promise<A> {
    if (!this.reader.isReadable) throw new MnemeError('DRAINING', 'the store is closed');
    try {
      return this.reader.read(query);
    } catch (error) {
      throw translated(error);
    }
  }

  async scan<R extends ScanRequest>(request: R): Promise<ScanResult<R>> {
    if (!this.reader.isReadable) throw new MnemeError('DRAINING', 'the store is closed');
    if (this.scanElsewhere) return this.scanElsewhere(request);
    return this.reader.read((database) => runScan(database, request));
  }
}
