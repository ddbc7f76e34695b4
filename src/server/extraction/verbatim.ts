import type { Extractor } from './extractor.ts';

/** Derives nothing: messages are stored unchanged. */
export const verbatimExtractor: Extractor = {
  name: 'verbatim',
  capacity: () => 'server',
  extract: async () => ({ claims: [], notes: [] }),
};
