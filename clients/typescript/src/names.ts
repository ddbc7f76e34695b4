/** Resource name of a namespace, from its id or its name. */
export function namespaceName(namespace: string): string {
  return namespace.startsWith('namespaces/') ? namespace : `namespaces/${namespace}`;
}

/** Resource name of a memory, from its id in a namespace or its full name. */
export function memoryName(namespace: string, idOrName: string): string {
  return idOrName.includes('/') ? idOrName : `${namespaceName(namespace)}/memories/${idOrName}`;
}

/** The parts of `namespaces/{namespace}/memories/{id}`, empty where the name has none. */
export function partsOfName(name: string): { namespace: string; id: string } {
  const parts = name.split('/');
  return { namespace: parts[1] ?? '', id: parts[3] ?? '' };
}
