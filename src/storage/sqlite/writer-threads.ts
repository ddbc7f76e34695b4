import { OwnThreads } from '../../search/threads/thread-source.ts';

export const WRITER_ENTRY = new URL('./writer-thread.ts', import.meta.url);

/** A writer thread for each data folder. */
export function writerThreads(): OwnThreads {
  return new OwnThreads(WRITER_ENTRY, 'writer');
}
