import { isUnavailable } from '../../../memory/errors.ts';

const AWAY: ReadonlySet<string> = new Set([
  'timeout',
  'disconnected',
  'circuit_open',
  'loading',
  'cluster_down',
  'busy',
]);

/** The store does not answer; a store that reports a loss is reachable. */
export function isAway(error: unknown): boolean {
  return isUnavailable(error) && AWAY.has(error.metadata['fault'] ?? '');
}
