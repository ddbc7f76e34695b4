import { Worker } from 'node:worker_threads';

/** A thread that loads its modules and then waits for the folder to open. It keeps the process alive only once it is taken. */
export function startWriterThread(): Worker {
  const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), { name: 'writer' });
  worker.unref();
  return worker;
}
