import { badInput } from './bad-input.ts';
import { shown } from './option-faults.ts';

const PREFIX = 'namespaces/';
const NAMESPACE_ID = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** Resource name of a namespace, from its id or its name. Refuses one that no server can have. */
export function namespaceName(namespace: string): string {
  const id = namespace.startsWith(PREFIX) ? namespace.slice(PREFIX.length) : namespace;
  if (NAMESPACE_ID.test(id)) return `${PREFIX}${id}`;
  const proposal = proposedNamespace(id);
  const hint = proposal === '' ? '' : `, such as ${proposal}`;
  const limit = '1 to 63 of a to z, 0 to 9, ".", "_" and "-", beginning with a letter or digit';
  throw badInput(
    'namespace',
    `must be ${limit}, got ${shown(namespace)}; use a name${hint}, or a scope for the id of a user (docs/user-ids.md)`,
  );
}

/** A valid name that is near to an invalid one. */
function proposedNamespace(id: string): string {
  return id
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 63)
    .replace(/-+$/, '');
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
