import type { Filter } from '../../memory/filter.ts';
import type { Scope } from '../../memory/memory.ts';
import { SCOPE_PARTS } from '../../memory/scope.ts';
import type { SessionStore } from '../../storage/session-store.ts';
import { compare, scopeFilters } from '../memories/states-filter.ts';

const FIELDS = { project: 'project', agentType: 'agent_type', agent: 'agent', session: 'session' } as const;

/**
 * The memories that a scope sees: those within it and those of its ancestors, which leave open what the scope says, such
 * as those of a project for each of its agents. `isSeenFrom` in `memory/scope.ts` says the same of one memory.
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

/** The scope with what is known of its session: whoever names a session alone sees what its project and agent have. */
export async function wholeScope(
  sessions: Pick<SessionStore, 'session'> | undefined,
  namespace: string,
  scope: Scope,
): Promise<Scope> {
  const isWhole = scope.session === '' || SCOPE_PARTS.every((part) => scope[part] !== '');
  if (!sessions || isWhole) return scope;
  const known = await sessions.session({ namespace, session: scope.session });
  if (!known) return scope;
  return {
    project: scope.project || known.project,
    agentType: scope.agentType || known.agentType,
    agent: scope.agent || known.agent,
    session: scope.session,
  };
}

function exists(field: (typeof FIELDS)[keyof typeof FIELDS]): Filter {
  return { kind: 'comparison', target: { kind: 'field', field }, operator: 'exists', values: [], ignoreCase: false };
}
