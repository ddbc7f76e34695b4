import { AsyncLocalStorage } from 'node:async_hooks';
import { MnemeError } from '../../memory/errors.ts';
import type { Filter } from '../../memory/filter.ts';
import type { Scope } from '../../memory/memory.ts';
import { isWithin, policyFilters, SCOPE_PARTS, type ScopePolicy, WHOLE_NAMESPACE } from '../../memory/scope.ts';
import type { ScopePolicies } from '../../storage/scope-policies.ts';
import { scopeFilters } from '../memories/list-memories.ts';

/** The effect of a namespace's policies on one caller. */
export interface Visibility {
  /** Whether any part of the namespace is hidden from any caller. */
  readonly isRuled: boolean;
  /** False where everything is visible. */
  readonly isLimited: boolean;
  /** The caller's scope; `everything` where no policy applies. */
  readonly from: Caller;
  /** Conditions of visible memories, combined with AND. */
  readonly filters: readonly Filter[];
  /** Whether the scope is visible. */
  sees(scope: Scope): boolean;
  /** Whether everything within the scope is visible. */
  seesAllOf(scope: Scope): boolean;
}

/** Visibility for callers: the only place where policies that limit reading are applied. */
export class VisibilityRules {
  private readonly policies: Pick<ScopePolicies, 'list' | 'atHand'>;

  constructor(policies: Pick<ScopePolicies, 'list' | 'atHand'>) {
    this.policies = policies;
  }

  /** True where it is known without a read that a namespace hides nothing. */
  areOpen(namespace: string): boolean {
    return this.policies.atHand(namespace)?.some(hides) === false;
  }

  /** `claimed`: the scope in a request, for callers without an authenticated scope. */
  async of(namespace: string, claimed: Scope = WHOLE_NAMESPACE): Promise<Visibility> {
    return this.from(currentCaller() ?? claimed, namespace);
  }

  /** The visibility from a scope, for any caller. */
  async from(from: Caller, namespace: string): Promise<Visibility> {
    const all = await this.policies.list(namespace);
    if (from === 'everything' || !all.some(hides)) {
      return { ...UNLIMITED, from };
    }
    const limits = all.filter((policy) => isLimit(policy, from));
    return {
      isRuled: true,
      isLimited: limits.length > 0,
      from,
      filters: policyFilters(limits, from, scopeFilters),
      sees: (scope) => limits.every((limit) => isWithin(scope, limit.scope) === isWithin(from, limit.scope)),
      seesAllOf: (scope) =>
        limits.every((limit) =>
          isWithin(from, limit.scope) ? isWithin(scope, limit.scope) : !meet(scope, limit.scope),
        ),
    };
  }
}

const UNLIMITED: Omit<Visibility, 'from'> = {
  isRuled: false,
  isLimited: false,
  filters: [],
  sees: () => true,
  seesAllOf: () => true,
};

function hides({ isPrivate, isIsolated }: ScopePolicy): boolean {
  return isPrivate || isIsolated;
}

/** A private scope hides itself from callers outside, an isolated one hides the rest from callers inside. */
function isLimit({ scope, isPrivate, isIsolated }: ScopePolicy, from: Scope): boolean {
  return isWithin(from, scope) ? isIsolated : isPrivate;
}

function meet(one: Scope, other: Scope): boolean {
  return SCOPE_PARTS.every((part) => one[part] === '' || other[part] === '' || one[part] === other[part]);
}

export function scopeIsPrivate(what: string): MnemeError {
  return new MnemeError('SCOPE_PRIVATE', `the caller may not read ${what}: its scope is private`, {
    metadata: { name: what },
  });
}

/** Whether the caller may see a subscription to the scope. */
export async function seesScope(
  visibilityRules: VisibilityRules,
  namespace: string,
  scope: Scope | undefined,
): Promise<boolean> {
  return scope === undefined || (await visibilityRules.of(namespace, scope)).sees(scope);
}

/** A filter with the conditions of a visibility. */
export function withVisibility(
  filter: Filter | undefined,
  { filters }: Pick<Visibility, 'filters'>,
): Filter | undefined {
  const all = [...(filter ? [filter] : []), ...filters];
  return all.length < 2 ? all[0] : { kind: 'all', filters: all };
}

/** The caller's scope; `everything` for administrators. */
export type Caller = Scope | 'everything';

const callers = new AsyncLocalStorage<Caller>();

/** Runs work, with all that it waits for, as a call from there. */
export function asCaller<T>(caller: Caller, work: () => T): T {
  return callers.run(caller, work);
}

/** Whether a call is made from a scope, so that policies count for it. */
export function isFromScope(caller: Caller | undefined): caller is Scope {
  return caller !== undefined && caller !== 'everything';
}

/** `undefined` for a call without a scope, and for background jobs. */
export function currentCaller(): Caller | undefined {
  return callers.getStore();
}
