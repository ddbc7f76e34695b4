import type { Extractor } from './extractor.ts';

/** Derives nothing: messages are memories as they are. */
export const verbatimExtractor: Extractor = {
  name: 'verbatim',
  extract: async () => ({ claims: [], notes: [] }),
};
