import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Message in place of options: the thread is not needed. */
export const NOT_NEEDED = 'not needed';

/** Starts the threads of one kind. Each waits for its options, which are the first message to it. */
export interface ThreadSource {
  /** A thread that keeps the process alive and waits for its options. */
  take(): Worker;
  /**
   * Takes back a thread that has closed its data folder. True: the thread waits for the options of another folder; false:
   * it ends by itself.
   */
  giveBack(worker: Worker): boolean;
}

/** Data of a thread that is started. */
export interface ThreadData {
  /** The thread waits for other options after it has closed its data folder. */
  readonly isReused: boolean;
  /** Search thread: the options will ask for the learned order, which is read while the thread waits for them. */
  readonly preparesOrder?: boolean;
}

/** A thread for each data folder, which ends when the folder is closed. */
export class OwnThreads implements ThreadSource {
  private readonly entry: URL;
  private readonly name: string;
  private readonly data: ThreadData;
  private started: Worker | undefined;

  constructor(entry: URL, name: string, data: Omit<ThreadData, 'isReused'> = {}) {
    this.entry = entry;
    this.name = name;
    this.data = { ...data, isReused: false };
  }

  /** Starts the thread that is taken next, so that it loads its modules; it keeps the process alive only once it is taken. */
  start(): void {
    this.started ??= new Worker(this.entry, { name: this.name, workerData: this.data });
    this.started.unref();
  }

  take(): Worker {
    this.start();
    const worker = this.started as Worker;
    this.started = undefined;
    worker.ref();
    return worker;
  }

  /**
   * Ends the thread that was started and not taken, once it has loaded its modules: an addon that is being loaded when the
   * process exits ends the process with SIGABRT.
   */
  async end(): Promise<void> {
    const worker = this.started;
    this.started = undefined;
    if (!worker) return;
    worker.ref();
    worker.postMessage(NOT_NEEDED);
    await once(worker, 'exit');
  }

  giveBack(): boolean {
    return false;
  }
}
