import { hash } from 'node:crypto';
import type { EventPlace } from '../../operations/sessions/lifecycle/event-place.ts';
import type { RequestChecks } from '../edge/request-checks.ts';

const VERSION = 1;

/** Token that leads on after an event of a namespace. */
export function eventToken(namespace: string, { sequence, mark }: EventPlace): string {
  return Buffer.from(JSON.stringify([VERSION, markOf(namespace), sequence, mark])).toString('base64url');
}

/** The place in a token of the same namespace; those of earlier versions do not name the event. */
export function eventPlaceIn(checks: RequestChecks, field: string, namespace: string, token: string): EventPlace {
  const [version, of, sequence, mark = ''] = partsOf(token);
  const isGenuine = version === VERSION && of === markOf(namespace) && Number.isSafeInteger(sequence);
  if (!isGenuine || typeof mark !== 'string') {
    checks.add(field, `must be a resume_token of Events of namespaces/${namespace}`);
    return { sequence: 0, mark: '' };
  }
  return { sequence: Number(sequence), mark };
}

function partsOf(token: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    // What is not JSON is no token.
    return [];
  }
}

function markOf(namespace: string): string {
  return hash('sha256', namespace, 'hex').slice(0, 8);
}
