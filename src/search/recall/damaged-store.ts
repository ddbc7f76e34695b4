import type { NamespaceEntry, NamespaceSource } from './namespace-source.ts';
import type { RecallResult } from './recall-engine.ts';

/** Says that memories may be missing where the store is damaged. Which ones is not known here: a list names them. */
export function withDamage(
  source: Pick<NamespaceSource, 'isDamaged'>,
  namespace: NamespaceEntry,
  result: RecallResult,
): RecallResult {
  if (!source.isDamaged(namespace)) return result;
  const reason = 'memories of the namespace cannot be read, since files of the store are damaged';
  return { ...result, degraded: [...result.degraded, { part: 'store', reason }] };
}
