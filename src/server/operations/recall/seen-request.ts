import type { Filter } from '../../../memory/filter.ts';
import type { Scope, Tier } from '../../../memory/memory.ts';
import { isUnscoped, SCOPE_PARTS } from '../../../memory/scope.ts';
import type { ScopePolicies } from '../../../storage/scope-policies.ts';
import type { SessionStore } from '../../../storage/session-store.ts';
import { compare, scopeFilters } from '../memories/list-memories.ts';
import { type Caller, scopeRefusal, VisibilityRules } from '../visibility/visibility.ts';
import type { RecallRequest } from './recall-request.ts';

export interface VisibilityDeps {
  /** Knows whose a session is. */
  readonly sessions?: Pick<SessionStore, 'session'>;
  /** Provides the policies for recalls from a scope. */
  readonly policies?: Pick<ScopePolicies, 'list' | 'atHand'>;
}

export interface SeenRequest {
  /** Its filter, with its remaining scope, selects the memories that may be returned, except for a time window. */
  readonly seen: RecallRequest;
  /** From where it is seen, as far as policies make that matter. */
  readonly from?: Caller;
}

/**
 * The request with its tiers, its scope and the policies as conditions: memories of the scope's ancestors are included,
 * unless the request excludes them.
 */
export async function seenRequest(
  { sessions, policies }: VisibilityDeps,
  request: RecallRequest,
): Promise<SeenRequest> {
  const { namespace, scope: provided, filter, isInherited, tiers } = request;
  const scope = provided && (await wholeScope(sessions, namespace, provided));
  const visibility = policies && (await new VisibilityRules(policies).of(namespace, scope));
  const limits = visibility?.filters ?? [];
  // Other reads for the request have the same visibility.
  const from = visibility?.isRuled ? { from: visibility.from } : {};
  const isInheriting = scope && isInherited && !isUnscoped(scope);
  if (!isInheriting && limits.length === 0 && !tiers) return { seen: request, ...from };
  const { scope: _, tiers: __, ...rest } = request;
  const filters = [
    ...(filter ? [filter] : []),
    ...(isInheriting ? [seenFrom(scope)] : []),
    ...limits,
    ...(tiers ? [inTiers(tiers)] : []),
  ];
  const isKept = provided && !isInheriting;
  return { seen: { ...rest, ...(isKept ? { scope: provided } : {}), filter: { kind: 'all', filters } }, ...from };
}

function inTiers(tiers: readonly Tier[]): Filter {
  const target = { kind: 'field', field: 'tier' } as const;
  return { kind: 'comparison', target, operator: 'in', values: tiers, ignoreCase: false };
}

const FIELDS = { project: 'project', agentType: 'agent_type', agent: 'agent', session: 'session' } as const;

/**
 * The memories visible from a scope: those within it and those of its ancestors, which leave parts of the scope empty,
 * such as a project's memories for each of its agents. `isSeenFrom` in `memory/scope.ts` is the same for one memory.
 */
export function seenFrom(scope: Scope): Filter {
  const ofAncestors = SCOPE_PARTS.map((part): Filter => {
    const isOpen: Filter = { kind: 'not', filter: exists(FIELDS[part]) };
    return scope[part] === ''
      ? isOpen
      : { kind: 'any', filters: [compare(FIELDS[part], 'equals', scope[part]), isOpen] };
  });
  return {
    kind: 'any',
    filters: [
      { kind: 'all', filters: scopeFilters(scope) },
      { kind: 'all', filters: ofAncestors },
    ],
  };
}

/**
 * The scope completed from its session: a caller that names only a session sees the memories of its project and agent. A
 * session outside the scopes that the caller is limited to counts as missing.
 */
async function wholeScope(
  sessions: Pick<SessionStore, 'session'> | undefined,
  namespace: string,
  scope: Scope,
): Promise<Scope> {
  const isWhole = scope.session === '' || SCOPE_PARTS.every((part) => scope[part] !== '');
  if (!sessions || isWhole) return scope;
  const known = await sessions.session({ namespace, session: scope.session });
  if (!known) return scope;
  const { project, agentType, agent } = known;
  if (scopeRefusal(namespace, { project, agentType, agent, session: scope.session })) return scope;
  return {
    project: scope.project || project,
    agentType: scope.agentType || agentType,
    agent: scope.agent || agent,
    session: scope.session,
  };
}

function exists(field: (typeof FIELDS)[keyof typeof FIELDS]): Filter {
  return { kind: 'comparison', target: { kind: 'field', field }, operator: 'exists', values: [], ignoreCase: false };
}
