import { MnemeError } from '../../../memory/errors.ts';
import type { Filter } from '../../../memory/filter.ts';
import type { Scope } from '../../../memory/memory.ts';
import type { Principal } from '../../../memory/principal.ts';
import { isWithin, policyFilters, SCOPE_PARTS, type ScopePolicy, WHOLE_NAMESPACE } from '../../../memory/scope.ts';
import { CallContext } from '../../../storage/call-context.ts';
import type { ScopePolicies } from '../../../storage/scope-policies.ts';
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
    return this.policies.atHand(namespace)?.some(hides) === false && !currentLimits(namespace);
  }

  /** `claimed`: the scope in a request, for callers without an authenticated scope. */
  async of(namespace: string, claimed: Scope = WHOLE_NAMESPACE): Promise<Visibility> {
    return this.from(currentCaller() ?? claimed, namespace);
  }

  /** The visibility from a scope, for any caller. */
  async from(from: Caller, namespace: string): Promise<Visibility> {
    const byPolicies = await this.byPolicies(from, namespace);
    const limits = currentLimits(namespace);
    return limits ? limited(byPolicies, limits) : byPolicies;
  }

  private async byPolicies(from: Caller, namespace: string): Promise<Visibility> {
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

/** A visibility within scopes that the credentials of the caller are limited to. */
function limited({ from, filters, sees, seesAllOf }: Visibility, scopes: readonly Scope[]): Visibility {
  const isInside = (scope: Scope) => scopes.some((limit) => isWithin(scope, limit));
  const within = scopes.map((scope): Filter => ({ kind: 'all', filters: scopeFilters(scope) }));
  return {
    isRuled: true,
    isLimited: true,
    from,
    filters: [...filters, { kind: 'any', filters: within }],
    sees: (scope) => isInside(scope) && sees(scope),
    seesAllOf: (scope) => isInside(scope) && seesAllOf(scope),
  };
}

/** The error where the credentials of the caller are limited to other scopes of the namespace. */
export function scopeRefusal(namespace: string, scope: Scope): MnemeError | undefined {
  const limits = currentLimits(namespace);
  if (!limits || limits.some((limit) => isWithin(scope, limit))) return undefined;
  return new MnemeError('PERMISSION_MISSING', `the caller is limited to other scopes of namespaces/${namespace}`, {
    metadata: { name: `namespaces/${namespace}` },
  });
}

/** Fails with PERMISSION_MISSING where the credentials of the caller are limited to other scopes of the namespace. */
export function checkScopeAllowed(namespace: string, scope: Scope): void {
  const refusal = scopeRefusal(namespace, scope);
  if (refusal) throw refusal;
}

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
  if (scope === undefined) return currentLimits(namespace) === undefined;
  return (await visibilityRules.of(namespace, scope)).sees(scope);
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

/** Where a call is made from. */
export interface Origin {
  readonly from: Caller | undefined;
  /** Scopes that the credentials of the caller are limited to, by namespace; absent: no limits. */
  limits: ReadonlyMap<string, readonly Scope[]> | undefined;
  /** The caller, once its credentials have been proved. */
  principal: Principal | undefined;
}

const origins = new CallContext<Origin>();

/** Runs work, with all that it waits for, as a call from this origin, whose limits may be set meanwhile. */
export function asOrigin<T>(origin: Origin, work: () => T): T {
  return origins.run(origin, work);
}

/** Runs work as a call from this scope, with the limits of the present call. */
export function asCaller<T>(from: Caller, work: () => T): T {
  const { limits, principal } = origins.current ?? {};
  return origins.run({ from, limits, principal }, work);
}

/** Runs work of the server itself that a call sets off: neither the scope nor the limits of the caller count for it. */
export function asServer<T>(work: () => T): T {
  return origins.run({ from: 'everything', limits: undefined, principal: undefined }, work);
}

function currentLimits(namespace: string): readonly Scope[] | undefined {
  return origins.current?.limits?.get(namespace);
}

/** The caller of the present call; `undefined` for background jobs, and where no limit asks for it. */
export function currentPrincipal(): Principal | undefined {
  return origins.current?.principal;
}

/** Whether a call is made from a scope, so that policies count for it. */
export function isFromScope(caller: Caller | undefined): caller is Scope {
  return caller !== undefined && caller !== 'everything';
}

/** `undefined` for a call without a scope, and for background jobs. */
export function currentCaller(): Caller | undefined {
  return origins.current?.from;
}
