/** Reads values of JSON of unknown shape. */
export type Fields = Readonly<Record<string, unknown>>;

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A text, or a number as text: ids are either. */
export function idIn(value: unknown): string {
  return typeof value === 'number' ? String(value) : textIn(value);
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

export function objectIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The branch of a conversation that ends with a node, from the root on. `parentOf` is undefined for a node that does not
 * exist; the parent of a root is the empty text.
 */
export function branchTo(leaf: string, parentOf: (id: string) => string | undefined): string[] {
  const branch = new Set<string>();
  for (let id: string | undefined = leaf; id !== undefined && id !== '' && !branch.has(id); ) {
    const parent = parentOf(id);
    if (parent === undefined) break;
    branch.add(id);
    id = parent;
  }
  return [...branch].reverse();
}
