import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Command } from './commands/command.ts';
import { openWritable } from './database.ts';
import { Writer } from './writer.ts';

export interface WriterOptions {
  readonly databaseFile: string;
  readonly retentionUs: number;
  /** Size of the database in pages beyond which it counts as a full disk; 0 for no limit. */
  readonly pagesMax: number;
}

/** `close` ends the thread once what was posted before it is done. */
export type WriterRequest = { readonly commands: readonly Command[] } | { readonly close: true };

if (parentPort) serve(parentPort, workerData as WriterOptions);

function serve(port: MessagePort, { databaseFile, retentionUs, pagesMax }: WriterOptions): void {
  const database = openWritable(databaseFile);
  if (pagesMax > 0) database.pragma(`max_page_count = ${pagesMax}`);
  const writer = new Writer(database, { retentionUs });
  port.postMessage(writer.execute([]));
  port.on('message', (request: WriterRequest) => {
    if ('commands' in request) {
      port.postMessage(writer.execute(request.commands));
      return;
    }
    database.close();
    port.close();
  });
}
