import type { Scope } from './memory.ts';

/** Parts of a scope from the widest to the narrowest. */
export const SCOPE_PARTS = ['project', 'agentType', 'agent', 'session'] as const;

export const WHOLE_NAMESPACE: Scope = { project: '', agentType: '', agent: '', session: '' };

/** True where each part that is asked for is the same. */
export function isWithin(scope: Scope, asked: Scope): boolean {
  return SCOPE_PARTS.every((part) => asked[part] === '' || asked[part] === scope[part]);
}

/**
 * True where a memory of `scope` is seen from `from`: it lies within it, or belongs to one of its ancestors. An ancestor
 * says the same or leaves open: what belongs to a project is seen by each of its agents, and in each of their sessions.
 */
export function isSeenFrom(scope: Scope, from: Scope): boolean {
  return isWithin(scope, from) || SCOPE_PARTS.every((part) => scope[part] === '' || scope[part] === from[part]);
}
