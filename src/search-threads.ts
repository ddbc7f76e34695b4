import { OwnThreads } from './thread-source.ts';

export const SEARCH_ENTRY = new URL('./search-thread.ts', import.meta.url);

/** A search thread for each data folder. */
export function searchThreads(): OwnThreads {
  return new OwnThreads(SEARCH_ENTRY, 'search');
}
