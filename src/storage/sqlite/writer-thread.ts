import { type MessagePort, parentPort } from 'node:worker_threads';
import type { Command } from './commands/command.ts';
import { openWritable, type SqliteDatabase } from './database.ts';
import { Writer } from './writer.ts';

const CLOSING_WAIT_MS = 200;

/** The first message to the thread. */
export interface WriterOptions {
  readonly databaseFile: string;
  readonly retentionUs: number;
  /** Size of the database beyond which it counts as a full disk; 0 for no limit. */
  readonly bytesMax: number;
  /** Names what is written into the change log until the folder is closed, also by a thread that takes over. */
  readonly term: string;
}

/** `close` ends the thread once what was posted before it is done. */
export type WriterRequest = { readonly commands: readonly Command[] } | { readonly close: true };

const PAGE_BYTES = 4096;

const port = parentPort;
port?.once('message', (options: WriterOptions) => serve(port, options));

function serve(port: MessagePort, { databaseFile, retentionUs, bytesMax, term }: WriterOptions): void {
  const database = openWritable(databaseFile);
  if (bytesMax > 0) database.pragma(`max_page_count = ${Math.floor(bytesMax / PAGE_BYTES)}`);
  const writer = new Writer(database, { retentionUs, term });
  port.postMessage(writer.execute([]));
  port.on('message', (request: WriterRequest) => {
    if ('commands' in request) {
      port.postMessage(writer.execute(request.commands));
      return;
    }
    emptyLog(database);
    database.close();
    port.close();
  });
}

/** Spares the next start reading the write-ahead log. Readers still at work may keep some of it; that loses nothing. */
function emptyLog(database: SqliteDatabase): void {
  database.pragma(`busy_timeout = ${CLOSING_WAIT_MS}`);
  database.pragma('wal_checkpoint(TRUNCATE)');
}
