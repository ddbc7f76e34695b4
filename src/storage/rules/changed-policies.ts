import { MnemeError } from '../../memory/errors.ts';
import { SCOPE_PARTS, type ScopePolicy } from '../../memory/scope.ts';
import { compareTexts } from '../../memory/values.ts';
import { SCOPE_POLICIES_MAX } from '../scope-policies.ts';

/** Policies of a namespace with one that is set, in order; one that allows everything is left out. Fails with SCOPES_FULL. */
export function changedPolicies(
  namespace: string,
  before: readonly ScopePolicy[],
  policy: ScopePolicy,
): readonly ScopePolicy[] {
  const others = before.filter((one) => compareScopes(one, policy) !== 0);
  if (!(policy.isPrivate || policy.isReadOnly || policy.isIsolated)) return others;
  if (others.length >= SCOPE_POLICIES_MAX) throw scopesFull(namespace);
  return [...others, structuredClone(policy)].sort(compareScopes);
}

function scopesFull(namespace: string): MnemeError {
  const message = `namespaces/${namespace} has reached its limit of ${SCOPE_POLICIES_MAX} scope policies`;
  return new MnemeError('SCOPES_FULL', message, { metadata: { limit: String(SCOPE_POLICIES_MAX) } });
}

function compareScopes({ scope: one }: ScopePolicy, { scope: other }: ScopePolicy): number {
  const part = SCOPE_PARTS.find((each) => one[each] !== other[each]);
  return part ? compareTexts(one[part], other[part]) : 0;
}
