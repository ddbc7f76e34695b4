/** Address of the list of memories that a filter text selects; an empty text selects all. */
export function listAddress(namespace: string, filter: string): string {
  const path = `/n/${encodeURIComponent(namespace)}/memories`;
  return filter === '' ? path : `${path}?${new URLSearchParams({ filter })}`;
}

export function memoryAddress(namespace: string, id: string): string {
  return `/n/${encodeURIComponent(namespace)}/memories/${encodeURIComponent(id)}`;
}

/** A condition added to a filter text. */
export function narrowed(filter: string, condition: string): string {
  const text = filter.trim();
  if (text === '') return condition;
  if (text.includes(condition)) return text;
  return `${/\bOR\b|\|\|/i.test(text) ? `(${text})` : text} AND ${condition}`;
}
