import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { ThreadData } from '../../thread-source.ts';
import type { Command } from './commands/command.ts';
import { openWritable, type SqliteDatabase } from './database.ts';
import { Writer } from './writer.ts';

const CLOSING_WAIT_MS = 200;

/** Message with which the thread opens a data folder. */
export interface WriterOptions {
  readonly databaseFile: string;
  readonly retentionUs: number;
  /** Size of the database beyond which it counts as a full disk; 0 for no limit. */
  readonly bytesMax: number;
  /** Names what is written into the change log until the folder is closed, also by a thread that takes over. */
  readonly term: string;
}

/** `close` closes the data folder after the commands that were posted before it; the thread answers with `WriterClosed`. */
export type WriterRequest = { readonly commands: readonly Command[] } | { readonly close: true };

export interface WriterClosed {
  readonly closed: true;
}

const PAGE_BYTES = 4096;

if (parentPort) awaitOptions(parentPort);

function awaitOptions(port: MessagePort): void {
  port.once('message', (options: WriterOptions) => serve(port, options));
}

function serve(port: MessagePort, { databaseFile, retentionUs, bytesMax, term }: WriterOptions): void {
  const database = openWritable(databaseFile);
  if (bytesMax > 0) database.pragma(`max_page_count = ${Math.floor(bytesMax / PAGE_BYTES)}`);
  const writer = new Writer(database, { retentionUs, term });
  port.postMessage(writer.execute([]));
  const receive = (request: WriterRequest): void => {
    if ('commands' in request) {
      port.postMessage(writer.execute(request.commands));
      return;
    }
    emptyLog(database);
    database.close();
    port.off('message', receive);
    port.postMessage({ closed: true } satisfies WriterClosed);
    if ((workerData as ThreadData).isReused) awaitOptions(port);
    else port.close();
  };
  port.on('message', receive);
}

/** Spares the next start reading the write-ahead log. Readers still at work may keep some of it; that loses nothing. */
function emptyLog(database: SqliteDatabase): void {
  database.pragma(`busy_timeout = ${CLOSING_WAIT_MS}`);
  database.pragma('wal_checkpoint(TRUNCATE)');
}
