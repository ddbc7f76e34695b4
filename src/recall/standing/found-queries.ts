/** What changes of memories mean to standing queries, by their ids. */
export interface FoundQueries {
  readonly urgent: Set<number>;
  readonly settling: Set<number>;
  readonly settlingNamespaces: Set<string>;
  readonly changed: Map<string, { readonly namespace: string; readonly id: string }>;
  isEverything: boolean;
}

export const nothingFound = (): FoundQueries => ({
  urgent: new Set(),
  settling: new Set(),
  settlingNamespaces: new Set(),
  changed: new Map(),
  isEverything: false,
});
