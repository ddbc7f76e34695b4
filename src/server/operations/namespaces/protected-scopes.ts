import { MnemeError } from '../../../memory/errors.ts';
import { checkWritable, isWithin, type ScopePolicy } from '../../../memory/scope.ts';
import type { ScopePolicies } from '../../../storage/scope-policies.ts';
import type { View } from '../../../storage/view.ts';
import { scopeFilters } from '../memories/list-memories.ts';
import { currentCaller, isFromScope, scopeIsPrivate, type VisibilityRules } from '../visibility/visibility.ts';

interface ProtectedNamespace {
  readonly view: Pick<View, 'list'>;
  readonly policies: Pick<ScopePolicies, 'list'>;
  readonly visibilityRules: VisibilityRules;
}

/**
 * Fails where a policy keeps the caller from deleting a namespace as a whole: with SCOPE_PRIVATE where it hides a part
 * from the caller, with SCOPE_READ_ONLY where a memory may not be deleted.
 */
export async function checkDeletable(
  { view, policies, visibilityRules }: ProtectedNamespace,
  namespace: string,
  nowUs: number,
): Promise<void> {
  const { isLimited } = await visibilityRules.of(namespace);
  if (isLimited) throw hiddenPart(`namespaces/${namespace}`);
  const kept = (await policies.list(namespace)).filter(({ isReadOnly }) => isReadOnly);
  if (kept.length === 0) return;
  const filters = kept.map(({ scope }) => ({ kind: 'all' as const, filters: scopeFilters(scope) }));
  const { memories } = await view.list({
    namespace,
    filter: { kind: 'any', filters },
    order: 'create_time_asc',
    limit: 1,
    bytesMax: Number.MAX_SAFE_INTEGER,
    view: 'metadata',
    nowUs,
  });
  for (const { scope } of memories) checkWritable(kept, scope);
}

/**
 * Fails with SCOPE_PRIVATE where the caller is in another scope than the policy that would be replaced, and neither
 * above nor within it.
 */
export function checkReplaceable(policies: readonly ScopePolicy[], { scope }: Pick<ScopePolicy, 'scope'>): void {
  const caller = currentCaller();
  if (!isFromScope(caller) || isWithin(caller, scope) || isWithin(scope, caller)) return;
  const isProtected = policies.some(
    (policy) =>
      (policy.isPrivate || policy.isReadOnly) && isWithin(policy.scope, scope) && isWithin(scope, policy.scope),
  );
  if (isProtected) throw scopeIsPrivate('the policy of the scope');
}

function hiddenPart(name: string): MnemeError {
  return new MnemeError(
    'SCOPE_PRIVATE',
    `the caller may not delete ${name}: a policy hides a part of it; an operator may`,
    { metadata: { name } },
  );
}
