const NAMESPACE = /^namespaces\/([a-z0-9][a-z0-9._-]{0,62})$/;
const MEMORY = /^namespaces\/([a-z0-9][a-z0-9._-]{0,62})\/memories\/([A-Za-z0-9._~:-]{1,128})$/;

/** Shape of the last part of a memory's name. */
export const MEMORY_ID = /^[A-Za-z0-9._~:-]{1,128}$/;

export function namespaceName(namespace: string): string {
  return `namespaces/${namespace}`;
}

export function memoryName(namespace: string, id: string): string {
  return `namespaces/${namespace}/memories/${id}`;
}

/** The namespace that a resource name leads to; `undefined` when it is none. */
export function namespaceIn(name: string): string | undefined {
  return NAMESPACE.exec(name)?.[1];
}

/** Where a memory's resource name leads; `undefined` when it is none. */
export function memoryNameIn(name: string): { namespace: string; id: string } | undefined {
  const [, namespace, id] = MEMORY.exec(name) ?? [];
  return namespace === undefined || id === undefined ? undefined : { namespace, id };
}
