import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/memory/clock.ts';
import type { CommandLog } from '../../src/storage/command-log.ts';
import { RedisCommandLog } from '../../src/storage/redis/command-log.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { bringInPending } from '../../src/storage/shared/bring-in.ts';
import { prepareFolder } from '../../src/storage/shared/prepare-folder.ts';
import { PrivateKeyspaces } from '../../src/storage/shared/private-keyspaces.ts';
import { renewLog } from '../../src/storage/shared/renew-log.ts';
import { SharedLog } from '../../src/storage/shared/shared-log.ts';
import { SharedMemoryStore } from '../../src/storage/shared/shared-memory-store.ts';
import { SnapshotKeeper } from '../../src/storage/shared/snapshot-keeper.ts';
import { SqliteAgentSnapshots } from '../../src/storage/sqlite/agents/agent-snapshots.ts';
import { SqliteScopePolicies } from '../../src/storage/sqlite/agents/scope-policies.ts';
import { openSqliteStore, openStoreAs } from '../../src/storage/sqlite/memory-store.ts';
import { PATIENT_REDIS } from './patient-redis.ts';
import { reusedThreads } from './reused-threads.ts';

const RETENTION_MS = 3_600_000;
const KEYSPACE = 'mneme:{log:shared}';

export interface SharedStoreOfTest {
  readonly folder: string;
  readonly store: SharedMemoryStore;
  readonly log: SharedLog;
  readonly tiers: SharedMemoryStore['tiers'];
  readonly agents: SqliteAgentSnapshots;
  readonly policies: SqliteScopePolicies;
  /** Makes a snapshot, however little the log has grown. */
  snapshot(): Promise<void>;
  /** Faults with which the log ended. */
  readonly ends: string[];
  /** Number of memories that were brought in, by folder. */
  readonly broughtIn: number[];
  close(): Promise<void>;
}

export interface SharedSettings {
  /** Of the Redis that has the log, where `log` is not given. */
  readonly url?: string;
  readonly log?: CommandLog;
  /** Absent: one of its own, which is erased when the store is closed. */
  readonly folder?: string;
  readonly clock?: Clock;
  /** False: what is to be brought in stays where it is. */
  readonly bringsIn?: boolean;
}

/** One server's store over a shared log, put together as the server does it. */
export async function openSharedStore(settings: SharedSettings): Promise<SharedStoreOfTest> {
  const { url = '', clock = systemClock } = settings;
  const folder = settings.folder ?? (await mkdtemp(join(tmpdir(), 'mneme-shared-')));
  const connection = settings.log ? undefined : await openRedis({ ...PATIENT_REDIS, urls: [url] });
  const own =
    connection &&
    new PrivateKeyspaces({
      connection,
      prefix: 'mneme',
      clock,
      idempotencyRetentionMs: RETENTION_MS,
      writerThreads: reusedThreads().writer,
    });
  const commands = settings.log ?? (connection && new RedisCommandLog(connection, KEYSPACE));
  if (!commands) throw new Error('a shared store needs a log');
  const start = await prepareFolder({
    folder,
    log: commands,
    complete: (of) =>
      own
        ? own.completeCopies(of)
        : openSqliteStore({ folder: of, writerThreads: reusedThreads().writer }).then((made) => made.close()),
    release: async () => own?.erase(),
  });
  const store = await openStoreAs(SharedMemoryStore, {
    folder,
    clock,
    writerThreads: reusedThreads().writer,
    newTerm: () => start.epoch,
  });
  const ends: string[] = [];
  const log = new SharedLog(
    {
      log: commands,
      position: () => store.position(),
      apply: (entry) => store.apply(entry, start.epoch),
      renew: async (at, recent) => {
        await renewLog({ log: commands, folder, server: folder, graceMs: 500 }, at, recent);
      },
      onEnd: ({ metadata }) => ends.push(metadata['fault'] ?? ''),
    },
    start,
  );
  const describe = () => ({ role: 'memories', technology: 'redis', durability: 'as Redis is set up' });
  store.join({ log, retentionUs: RETENTION_MS * 1000, describe });
  const broughtIn: number[] = [];
  const { bringsIn = true } = settings;
  if (bringsIn) await bringInPending({ folder, shared: store, clock, onDone: (_, count) => broughtIn.push(count) });
  const close = async () => {
    await store.close();
    await connection?.close();
    if (settings.folder === undefined) await rm(folder, { recursive: true });
  };
  const snapshot = () => new SnapshotKeeper(commands, folder, 0).make();
  const [agents, policies] = [new SqliteAgentSnapshots(store), new SqliteScopePolicies(store)];
  return { folder, store, tiers: store.tiers, agents, policies, log, snapshot, ends, broughtIn, close };
}
