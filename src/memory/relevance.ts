/** Relevance from which on a memory is taken to answer a text: below it people are told that there is nothing. */
export const RELEVANT_MIN = 0.07;
