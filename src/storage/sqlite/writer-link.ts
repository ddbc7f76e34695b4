import type { Worker } from 'node:worker_threads';
import { MnemeError } from '../../memory/errors.ts';
import type { Command } from './commands/command.ts';
import { startWriterThread } from './start-writer-thread.ts';
import type { BatchAnswer } from './writer.ts';
import type { WriterOptions, WriterRequest } from './writer-thread.ts';

export interface WriterEvents {
  readonly onAnswer: (answer: BatchAnswer) => void;
  /** The thread ended without being asked to; it answers nothing any more. */
  readonly onDeath: (error: MnemeError) => void;
}

/** A writer thread, from its start to its end. */
export class WriterLink {
  /** Resolves when the thread is ready to write. */
  readonly opened: Promise<BatchAnswer>;
  private readonly worker: Worker;
  private readonly exited: Promise<void>;
  private isEnding = false;

  constructor(options: WriterOptions, events: WriterEvents, worker: Worker = startWriterThread()) {
    this.worker = worker;
    worker.ref();
    worker.postMessage(options);
    const opening = Promise.withResolvers<BatchAnswer>();
    const exiting = Promise.withResolvers<void>();
    this.opened = opening.promise;
    this.exited = exiting.promise;
    let cause: unknown;
    this.worker.once('message', (answer: BatchAnswer) => {
      opening.resolve(answer);
      this.worker.on('message', events.onAnswer);
    });
    this.worker.on('error', (error) => {
      cause = error;
    });
    this.worker.on('exit', () => {
      exiting.resolve();
      if (this.isEnding) return;
      const error = writerDied(cause);
      opening.reject(error);
      events.onDeath(error);
    });
    // Whoever waits for the thread to open sees the failure; when nobody does, `onDeath` has told it.
    this.opened.catch(() => undefined);
  }

  post(commands: readonly Command[]): void {
    this.worker.postMessage({ commands } satisfies WriterRequest);
  }

  /** Ends the thread when all that was posted is done. */
  async end(): Promise<void> {
    this.isEnding = true;
    this.worker.postMessage({ close: true } satisfies WriterRequest);
    await this.exited;
  }
}

function writerDied(cause: unknown): MnemeError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new MnemeError('STORAGE_UNAVAILABLE', `the thread that writes has ended${why}`, {
    metadata: { backend: 'sqlite' },
    cause,
  });
}
