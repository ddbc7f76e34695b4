import { namespaceName } from './names.ts';

/** Resource name of a session; its id may hold slashes. */
export function sessionName(namespace: string, id: string): string {
  return `${namespaceName(namespace)}/sessions/${id}`;
}
