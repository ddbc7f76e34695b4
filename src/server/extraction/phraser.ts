/** Words sentences better. */
export interface Phraser {
  /**
   * Phrases of the sentences by place, `undefined` where there is none. They are not checked. Fails with
   * EXTRACTOR_UNAVAILABLE, EXTRACTION_INVALID.
   */
  phrase(sentences: readonly string[], signal: AbortSignal): Promise<readonly (string | undefined)[]>;
}
