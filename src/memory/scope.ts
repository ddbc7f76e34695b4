import { MnemeError } from './errors.ts';
import type { Filter } from './filter.ts';
import type { Scope } from './memory.ts';

/** Parts of a scope from the widest to the narrowest. */
export const SCOPE_PARTS = ['project', 'agentType', 'agent', 'session'] as const;

export const WHOLE_NAMESPACE: Scope = { project: '', agentType: '', agent: '', session: '' };

/** True without any part: what has the scope belongs to no scope. */
export function isUnscoped(scope: Scope): boolean {
  return SCOPE_PARTS.every((part) => scope[part] === '');
}

/** A text that only equal scopes have. */
export function scopeKey(scope: Scope): string {
  return JSON.stringify(SCOPE_PARTS.map((part) => scope[part]));
}

/** True where each part that is asked for is the same. */
export function isWithin(scope: Scope, asked: Scope): boolean {
  return SCOPE_PARTS.every((part) => asked[part] === '' || asked[part] === scope[part]);
}

/**
 * True where a memory of `scope` is visible from `from`: it lies within it, or belongs to one of its ancestors. An
 * ancestor has equal or empty parts: a memory of a project is visible to each of its agents, and in each of their
 * sessions.
 */
export function isSeenFrom(scope: Scope, from: Scope): boolean {
  return isWithin(scope, from) || SCOPE_PARTS.every((part) => scope[part] === '' || scope[part] === from[part]);
}

/** Rules for the memories of a scope and of all its descendants. */
export interface ScopePolicy {
  readonly scope: Scope;
  /** Recalls from other scopes do not see its memories. */
  readonly isPrivate: boolean;
  /** Its memories cannot be stored, changed or deleted. */
  readonly isReadOnly: boolean;
  /** Recalls from within do not see memories of its ancestors. */
  readonly isIsolated: boolean;
}

/** Fails with SCOPE_READ_ONLY where a policy keeps memories of the scope as they are. */
export function checkWritable(policies: readonly ScopePolicy[], scope: Scope): void {
  const policy = policies.find(({ isReadOnly, scope: kept }) => isReadOnly && isWithin(scope, kept));
  if (!policy) return;
  const name = Object.values(policy.scope)
    .filter((part) => part !== '')
    .join('/');
  throw new MnemeError('SCOPE_READ_ONLY', `memories of ${name} cannot be changed: its policy is read-only`, {
    metadata: { scope: name },
  });
}

/** The filters that policies add to a recall from a scope. `filtersOf` expresses a scope as conditions. */
export function policyFilters(
  policies: readonly ScopePolicy[],
  from: Scope,
  filtersOf: (scope: Scope) => readonly Filter[],
): Filter[] {
  return policies.flatMap(({ scope, isPrivate, isIsolated }): Filter[] => {
    const within: Filter = { kind: 'all', filters: filtersOf(scope) };
    const isInside = isWithin(from, scope);
    if (isInside) return isIsolated ? [within] : [];
    return isPrivate ? [{ kind: 'not', filter: within }] : [];
  });
}
