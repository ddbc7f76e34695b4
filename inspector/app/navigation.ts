/** Parameters of a page's path, such as the namespace. */
export type Parameters = Readonly<Record<string, string>>;

export interface Entry {
  /** Path with parameters, such as `/n/:namespace/memories`. */
  readonly path: string;
  readonly title: string;
  /** Key that opens the page after `g`. */
  readonly key: string;
}

/** The navigation, in order. */
export const ENTRIES: readonly Entry[] = [
  { path: '/', title: 'Overview', key: 'o' },
  { path: '/n/:namespace/memories', title: 'Memories', key: 'm' },
  { path: '/n/:namespace/recall', title: 'Recall', key: 'r' },
  { path: '/n/:namespace/facts', title: 'Facts', key: 'f' },
  { path: '/n/:namespace/conversations', title: 'Conversations', key: 'c' },
  { path: '/n/:namespace/sessions', title: 'Sessions', key: 's' },
  { path: '/n/:namespace/agents', title: 'Agents', key: 'a' },
  { path: '/n/:namespace/live', title: 'Live', key: 'l' },
  { path: '/n/:namespace/plots', title: 'Plots', key: 'p' },
  { path: '/access', title: 'Access', key: 'x' },
];

/** Address of an entry for a namespace. */
export function addressOf({ path }: Pick<Entry, 'path'>, namespace: string): string {
  return path.replace(':namespace', encodeURIComponent(namespace));
}
