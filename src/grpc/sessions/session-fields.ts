import { MEMORY_LIMITS } from '../../memory/limits.ts';
import type { SessionKey } from '../../memory/session.ts';
import type { RequestChecks } from '../edge/request-checks.ts';
import { namespaceIn } from '../edge/resource-names.ts';

/** Everything behind `sessions/` is the session's id, slashes too. */
const SESSION = /^(namespaces\/[^/]+)\/sessions\/(.+)$/s;
const KEY_BYTES = 1024;
const { namePartBytes } = MEMORY_LIMITS;

export const CHECKPOINT_ID = /^[A-Za-z0-9._~:-]{1,128}$/;
export const CHECKPOINT_ID_SHAPE = '1 to 128 of [A-Za-z0-9._~:-]';

/** The session that a resource name leads to. */
export function sessionIn(checks: RequestChecks, field: string, name: string): SessionKey {
  const [, parent = '', id = ''] = SESSION.exec(name) ?? [];
  const namespace = namespaceIn(parent);
  if (namespace === undefined) {
    const shape = `must be namespaces/{namespace}/sessions/{id}, the id 1 to ${namePartBytes} bytes`;
    checks.add(field, `${shape}, got ${JSON.stringify(name.slice(0, 80).toWellFormed())}`);
    return { namespace: '', session: '' };
  }
  return { namespace, session: sessionId(checks, field, id) };
}

export function sessionId(checks: RequestChecks, field: string, id: string): string {
  return checks.text(field, id, namePartBytes, { plain: true });
}

/** A key of a session's working memory. */
export function keyIn(checks: RequestChecks, field: string, key: string): string {
  if (key === '') checks.add(field, `must be 1 to ${KEY_BYTES} bytes, got nothing`);
  return checks.text(field, key, KEY_BYTES, { plain: true });
}
