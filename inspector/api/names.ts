/** Resource name of a namespace. */
export function namespaceName(id: string): string {
  return `namespaces/${id}`;
}

export function memoryName(namespace: string, id: string): string {
  return `namespaces/${namespace}/memories/${id}`;
}

/** Last part of a resource name. */
export function idOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
