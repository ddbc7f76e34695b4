import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { monotonicMs, type WorkTime } from '../../search/threads/span.ts';
import { NOT_NEEDED, type ThreadData } from '../../search/threads/thread-source.ts';
import type { Command } from './commands/command.ts';
import { openWritable, PAGE_BYTES, type SqliteDatabase } from './database.ts';
import { type BatchAnswer, Writer } from './writer.ts';

const CLOSING_WAIT_MS = 200;

/** Message with which the thread opens a data folder. */
export interface WriterOptions {
  readonly databaseFile: string;
  readonly retentionUs: number;
  /** Size of the database above which writes fail as on a full disk; 0 for no limit. */
  readonly bytesMax: number;
  /** Name of the writes to the change log until the folder is closed, also after a thread is replaced. */
  readonly term: string;
}

/** `close` closes the data folder after all earlier commands; the thread answers with `WriterClosed`. */
export type WriterRequest =
  | { readonly commands: readonly Command[] /** See `Writer.execute`. */; readonly mayWait: boolean }
  | { readonly close: true };

/** Answer to a batch of commands, with the times of its transactions. */
export interface WriterAnswer extends BatchAnswer {
  readonly time: WorkTime;
  /** Of the last COMMIT; absent where nothing was committed. */
  readonly commitTime: WorkTime | undefined;
}

export interface WriterClosed {
  readonly closed: true;
}

if (parentPort) awaitOptions(parentPort);

function awaitOptions(port: MessagePort): void {
  port.once('message', (options: WriterOptions | typeof NOT_NEEDED) => {
    if (options === NOT_NEEDED) port.close();
    else serve(port, options);
  });
}

function serve(port: MessagePort, { databaseFile, retentionUs, bytesMax, term }: WriterOptions): void {
  const database = openWritable(databaseFile);
  if (bytesMax > 0) database.pragma(`max_page_count = ${Math.floor(bytesMax / PAGE_BYTES)}`);
  const writer = new Writer(database, { retentionUs, term });
  port.postMessage(writer.state);
  const receive = (request: WriterRequest): void => {
    if ('commands' in request) {
      port.postMessage(answerTo(writer, request.commands, request.mayWait));
      return;
    }
    writer.execute([]);
    emptyLog(database);
    database.close();
    port.off('message', receive);
    port.postMessage({ closed: true } satisfies WriterClosed);
    if ((workerData as ThreadData).isReused) awaitOptions(port);
    else port.close();
  };
  port.on('message', receive);
}

function answerTo(writer: Writer, commands: readonly Command[], mayWait: boolean): WriterAnswer {
  const startedAtMs = monotonicMs();
  writer.commitTime = undefined;
  const answer = writer.execute(commands, mayWait);
  return { ...answer, time: { startedAtMs, endedAtMs: monotonicMs() }, commitTime: writer.commitTime };
}

/** Spares the next start from reading the write-ahead log. Open readers may keep a part of it, without loss. */
function emptyLog(database: SqliteDatabase): void {
  database.pragma(`busy_timeout = ${CLOSING_WAIT_MS}`);
  database.pragma('wal_checkpoint(TRUNCATE)');
}
