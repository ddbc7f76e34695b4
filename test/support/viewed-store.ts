import { deepEqual } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/memory/clock.ts';
import type { ChangeLog } from '../../src/storage/change-log/change-log.ts';
import type { ExternalBodies } from '../../src/storage/postgres/external-bodies.ts';
import { PostgresSubscriptions } from '../../src/storage/postgres/subscriptions/subscription-store.ts';
import type { LoggedRecords } from '../../src/storage/record-log.ts';
import { openSqliteStore, type SqliteMemoryStore } from '../../src/storage/sqlite/memory-store.ts';
import { prepareView } from '../../src/storage/sqlite/view-folder.ts';
import { FollowedView } from '../../src/storage/viewed/followed-view.ts';
import { followedLog, viewedLog } from '../../src/storage/viewed/viewed-log.ts';
import { withMethods } from '../../src/storage/with-methods.ts';
import { openRecords, type RecordsOfTest, type RecordsSettings } from './postgres-records.ts';
import { reusedThreads } from './reused-threads.ts';
import { type WholeStore, wholeStore } from './whole-store.ts';

export interface ViewedStoreOfTest {
  readonly store: WholeStore & Omit<FollowedView, 'describe'>;
  readonly records: RecordsOfTest['records'];
  /** The change log of the view. */
  readonly streams: ChangeLog;
  readonly view: SqliteMemoryStore;
  readonly subscriptions: PostgresSubscriptions;
  /** Failures of the records and the view in the background. */
  readonly failures: unknown[];
  close(): Promise<void>;
}

/** Records in PostgreSQL under a view in a data folder: without a folder, in one of its own, which is erased when it is closed. */
export async function openViewedStore(
  options: RecordsSettings & {
    readonly folder?: string;
    /** Replaces a part of the records, for example to count its calls. */
    readonly around?: (records: LoggedRecords) => LoggedRecords;
    readonly buildWaitMs?: number;
    readonly diskBytesMax?: number;
  },
): Promise<ViewedStoreOfTest> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'mneme-viewed-')));
  const { records, failures, close: closeRecords } = await openRecords(options);
  const { around = (all) => all } = options;
  const observed = around(records);
  await prepareView(folder, records.facts.identity);
  const view = await openSqliteStore({ folder, writerThreads: reusedThreads().writer });
  const onFailure = (_: string, error: unknown): void => void failures.push(error);
  const { buildWaitMs = 60_000, diskBytesMax = 0 } = options;
  const limits = { buildWaitMs, diskBytesMax };
  // As where the records number their changes above the view.
  const seen = withMethods(observed, {
    get revision() {
      return Math.max(view.revision, records.revision);
    },
  });
  const followed = new FollowedView({ records: observed, view, clock: systemClock, onFailure, ...limits });
  if (options.bodies) records.bodies.restoreFrom(followed.bodyCopies);
  const streams = viewedLog(view.streams, view);
  const close = async () => {
    await followed.end();
    await records.close();
    await view.close();
    await closeRecords();
    if (options.folder === undefined) await rm(folder, { recursive: true });
  };
  const subscriptions = new PostgresSubscriptions({
    access: records.access,
    log: followedLog(streams, followed.follower),
    takeChanged: () => followed.changed.take(),
  });
  return {
    store: wholeStore<LoggedRecords, FollowedView>(seen, followed),
    records,
    view,
    streams,
    subscriptions,
    failures,
    close,
  };
}

/** For conformance suites: without failures. */
export async function viewedStoreForSuite(url: string, bodies?: ExternalBodies) {
  const { store, failures, close } = await openViewedStore({ url, reusesSchema: true, bodies });
  return {
    store,
    close: async () => {
      await close();
      deepEqual(failures, []);
    },
  };
}
