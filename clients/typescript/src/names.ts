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

const NAMED = ['parent', 'name', 'session', 'conversation', 'report'];
const NAMESPACE = /^namespaces\/([a-z0-9][a-z0-9._-]{0,62})(?:\/|$)/;

/** Id of the namespace that a request is about, by the first resource name in it; undefined where there is none. */
export function namespaceOf(request: object): string | undefined {
  const fields = request as Readonly<Record<string, unknown>>;
  const { memory } = fields;
  const names = NAMED.map((field) => fields[field]);
  if (typeof memory === 'object' && memory !== null && 'name' in memory) names.push(memory.name);
  const name = names.find((value) => typeof value === 'string' && value !== '');
  return NAMESPACE.exec(String(name))?.[1];
}
