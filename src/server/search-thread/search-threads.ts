import { OwnThreads } from '../../search/threads/thread-source.ts';

export const SEARCH_ENTRY = new URL('./search-thread.ts', import.meta.url);

/** A search thread for each data folder. `preparesOrder`: each reads the learned order before it has its options. */
export function searchThreads(preparesOrder = false): OwnThreads {
  return new OwnThreads(SEARCH_ENTRY, 'search', { preparesOrder });
}
