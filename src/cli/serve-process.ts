import { chmodSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import type { Config } from '../server/config/config.ts';
import { searchThreads } from '../server/search-thread/search-threads.ts';
import { writerThreads } from '../storage/sqlite/writer-threads.ts';
import { mcpOverHttp } from './mcp-over-http.ts';
import { downloadBar, progressBar } from './progress-bar.ts';

/**
 * Serves until the process is asked to stop. SIGTERM and Ctrl-C let calls in flight finish; the second of them ends the
 * process immediately. A failure to start is reported in one line, with exit code 1.
 */
export async function runServe(config: Config): Promise<void> {
  serveUnread();
  // Files of the data folder are for their owner only: those that SQLite, USearch and downloads create too.
  const umask = process.umask(0o077);
  // Threads started from here on have half of the main thread's space for new objects: 1,000 idle streams take up to 6
  // MB less. A worker's own limit does not work: the flag of the process overrides it.
  setFlagsFromString('--max-semi-space-size=8');
  // They load their modules while this thread loads those of the server; the writer first, as the server waits for it.
  const writer = writerThreads();
  const search = searchThreads(config.ranker === 'learned');
  writer.start();
  search.start();
  const { createServer } = await import('../server/server.ts');
  const bar = progressBar('downloading');
  const server = createServer(config, {
    threads: { writer, search },
    onDownload: downloadBar(bar),
    mounts: [mcpOverHttp],
  });
  const stopped = Promise.withResolvers<void>();
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    bar.stop();
    if (++signals > 1) process.exit(signal === 'SIGINT' ? 130 : 143);
    process.stdout.write(`${signal}: stopping; once more ends at once\n`);
    server.stop().then(stopped.resolve, stopped.reject);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  try {
    await server.start();
    // Who may connect to a socket is up to the mode of the caller's process, as before.
    if (config.listen.startsWith('unix:')) chmodSync(socketOf(config.listen), 0o777 & ~umask);
    bar.stop();
    process.stdout.write(server.banner());
    await stopped.promise;
  } catch (error) {
    bar.stop();
    // A stop before the start is no failure.
    if (signals > 0 && error instanceof Error && error.name === 'AbortError') return;
    process.stderr.write(`mneme: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    process.off('SIGTERM', onSignal);
    process.off('SIGINT', onSignal);
    await Promise.all([writer.end(), search.end()]);
  }
}

/** Path of `unix:path` and `unix:///path`. */
function socketOf(listen: string): string {
  return listen.replace(/^unix:(?:\/\/(?=\/))?/, '');
}

/** When the reader of the output disconnects, the server continues without one. */
function serveUnread(): void {
  for (const stream of [process.stdout, process.stderr]) {
    // The command would end with its reader.
    stream.removeAllListeners('error').on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
