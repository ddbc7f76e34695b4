import { hash } from 'node:crypto';
import type { RequestChecks } from './request-checks.ts';

const VERSION = 1;

/** Token that leads on after an event of a namespace. */
export function eventToken(namespace: string, sequence: number): string {
  return Buffer.from(JSON.stringify([VERSION, markOf(namespace), sequence])).toString('base64url');
}

/** The sequence in a token of the same namespace. */
export function sequenceIn(checks: RequestChecks, field: string, namespace: string, token: string): number {
  const [version, mark, sequence] = partsOf(token);
  const isGenuine = version === VERSION && mark === markOf(namespace) && Number.isSafeInteger(sequence);
  if (!isGenuine) checks.add(field, `must be a resume_token of Events of namespaces/${namespace}`);
  return isGenuine ? Number(sequence) : 0;
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
