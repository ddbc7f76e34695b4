type Step = string | { readonly index: number } | { readonly fields: readonly string[] };

/**
 * The texts at index paths of a value: `title`, `metadata.title`, `authors[0].name`, `authors[-1]`, `chapters[*].content`,
 * `{title,summary}`, and `$` for the whole value. A path that leads nowhere has none.
 */
export function textsAtPaths(value: unknown, paths: readonly string[]): string[] {
  return paths.flatMap((path) => textsAt(value, path === '$' ? [] : stepsOf(path)));
}

function textsAt(value: unknown, [step, ...rest]: readonly Step[]): string[] {
  if (value === null || value === undefined) return [];
  if (step === undefined) return [typeof value === 'string' ? value : JSON.stringify(value)];
  if (typeof value !== 'object') return [];
  if (step === '*') return Object.values(value).flatMap((each) => textsAt(each, rest));
  if (typeof step === 'string') return Array.isArray(value) ? [] : textsAt(ownValue(value, step), rest);
  if ('fields' in step) return step.fields.flatMap((field) => textsAt(value, [...stepsOf(field), ...rest]));
  return Array.isArray(value) ? textsAt(value.at(step.index), rest) : [];
}

/** The value of a key of its own, never one of its prototype. */
export function ownValue(value: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

function stepsOf(path: string): Step[] {
  const found = path.match(/\[[^\]]*\]|\{[^}]*\}|[^.[{]+/g) ?? [];
  return found.map((token) => {
    if (token === '[*]') return '*';
    if (token.startsWith('[')) return { index: Number.parseInt(token.slice(1, -1), 10) || 0 };
    if (!token.startsWith('{')) return token;
    const fields = token.slice(1, -1).split(',');
    return { fields: fields.map((field) => field.trim()) };
  });
}
