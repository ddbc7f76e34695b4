import type { Filter } from '../../memory/filter.ts';
import type { Tier } from '../../memory/memory.ts';
import { SCOPE_PARTS } from '../../memory/scope.ts';
import type { ScopePolicies } from '../../storage/scope-policies.ts';
import type { SessionStore } from '../../storage/session-store.ts';
import type { Caller } from '../visibility/caller.ts';
import { Sights } from '../visibility/sights.ts';
import type { RecallRequest } from './recall-request.ts';
import { seenFrom, wholeScope } from './seen-from.ts';

export interface SightDeps {
  /** Knows whose a session is. */
  readonly sessions?: Pick<SessionStore, 'session'>;
  /** Knows what recalls from a scope may see. */
  readonly policies?: Pick<ScopePolicies, 'list' | 'atHand'>;
}

export interface SeenRequest {
  /** Its filter, with its scope where that is left, says which memories may be returned, but for a window of time. */
  readonly seen: RecallRequest;
  /** From where it is seen, as far as policies make that matter. */
  readonly from?: Caller;
}

/**
 * The request with its tiers, its scope and what policies leave as conditions: what the scope's ancestors share is seen as
 * well, unless that is not asked for.
 */
export async function seenRequest({ sessions, policies }: SightDeps, request: RecallRequest): Promise<SeenRequest> {
  const { namespace, scope: given, filter, isInherited, tiers } = request;
  const scope = given && (await wholeScope(sessions, namespace, given));
  const sight = policies && (await new Sights(policies).of(namespace, scope));
  const limits = sight?.filters ?? [];
  // What is read besides the hits is read from the same place.
  const from = sight?.isRuled ? { from: sight.from } : {};
  const isInheriting = scope && isInherited && SCOPE_PARTS.some((part) => scope[part] !== '');
  if (!isInheriting && limits.length === 0 && !tiers) return { seen: request, ...from };
  const { scope: _, tiers: __, ...rest } = request;
  const filters = [
    ...(filter ? [filter] : []),
    ...(isInheriting ? [seenFrom(scope)] : []),
    ...limits,
    ...(tiers ? [inTiers(tiers)] : []),
  ];
  const isKept = given && !isInheriting;
  return { seen: { ...rest, ...(isKept ? { scope: given } : {}), filter: { kind: 'all', filters } }, ...from };
}

function inTiers(tiers: readonly Tier[]): Filter {
  const target = { kind: 'field', field: 'tier' } as const;
  return { kind: 'comparison', target, operator: 'in', values: tiers, ignoreCase: false };
}
