import type { ListNamespacesOperation, MatchCondition } from '@langchain/langgraph-checkpoint';

/** The namespaces that a ListNamespaces asks for, each once, in the order of their labels. */
export function selectNamespaces(
  namespaces: Iterable<readonly string[]>,
  { matchConditions = [], maxDepth, limit, offset = 0 }: Partial<ListNamespacesOperation>,
): string[][] {
  const found = new Map<string, string[]>();
  for (const namespace of namespaces) {
    if (!matchConditions.every((condition) => matches(condition, namespace))) continue;
    const cut = namespace.slice(0, maxDepth);
    found.set(JSON.stringify(cut), cut);
  }
  const sorted = [...found.values()].sort(compareLabels);
  return sorted.slice(offset, limit === undefined ? undefined : offset + limit);
}

/** Labels with which every namespace begins that the conditions admit. */
export function commonPrefix(conditions: readonly MatchCondition[] = []): string[] {
  const prefixes = conditions.filter(({ matchType }) => matchType === 'prefix').map(({ path }) => path);
  const literal = prefixes.map((path) => path.slice(0, path.includes('*') ? path.indexOf('*') : undefined));
  return literal.reduce((longest, each) => (each.length > longest.length ? each : longest), []);
}

function matches({ matchType, path }: MatchCondition, namespace: readonly string[]): boolean {
  if (path.length > namespace.length) return false;
  const start = matchType === 'prefix' ? 0 : namespace.length - path.length;
  return path.every((label, index) => label === '*' || label === namespace[start + index]);
}

function compareLabels(one: readonly string[], other: readonly string[]): number {
  for (const [index, label] of one.entries()) {
    const against = other[index];
    if (against === undefined || label > against) return 1;
    if (label < against) return -1;
  }
  return one.length - other.length;
}
