import { Worker } from 'node:worker_threads';
import type { ThreadData, ThreadSource } from '../../src/search/threads/thread-source.ts';
import type { ServerThreads } from '../../src/server/assembly/open-storage.ts';
import { SEARCH_ENTRY } from '../../src/server/search-thread/search-threads.ts';
import { WRITER_ENTRY } from '../../src/storage/sqlite/writer-threads.ts';

/** Threads that have closed their folder and wait for new options; they do not keep the process alive. */
class ReusedThreads implements ThreadSource {
  private readonly idle: Worker[] = [];
  private readonly entry: URL;
  private readonly name: string;

  constructor(entry: URL, name: string) {
    this.entry = entry;
    this.name = name;
  }

  take(): Worker {
    const worker = this.idle.pop() ?? this.start();
    worker.ref();
    return worker;
  }

  giveBack(worker: Worker): boolean {
    // Node has its own listeners, which start and stop the port.
    for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
    worker.unref();
    worker.on('exit', () => {
      const at = this.idle.indexOf(worker);
      if (at >= 0) this.idle.splice(at, 1);
    });
    this.idle.push(worker);
    return true;
  }

  private start(): Worker {
    return new Worker(this.entry, { name: this.name, workerData: { isReused: true } satisfies ThreadData });
  }
}

let threads: ServerThreads | undefined;

/**
 * Threads that the servers of a process of tests use one after another, those of other test files too: loading the modules
 * takes 0.4 s of CPU each time.
 */
export function reusedThreads(): ServerThreads {
  threads ??= {
    writer: new ReusedThreads(WRITER_ENTRY, 'writer'),
    search: new ReusedThreads(SEARCH_ENTRY, 'search'),
  };
  return threads;
}
