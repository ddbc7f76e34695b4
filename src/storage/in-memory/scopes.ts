import type { Scope } from '../../memory/memory.ts';
import { compareTexts } from '../../memory/values.ts';
import type { Room } from './draft.ts';

const PARTS = ['project', 'agentType', 'agent', 'session'] as const;

/** Scopes that memories of the namespace have, in order of their parts. */
export function scopesOf(
  room: Room,
  { limit, after }: { limit: number; after?: Scope },
): { scope: Scope; count: number }[] {
  const byScope = Map.groupBy(room.entries.values(), ({ memory }) =>
    JSON.stringify(PARTS.map((part) => memory.scope[part])),
  );
  return [...byScope.values()]
    .flatMap((entries) => (entries[0] ? [{ scope: entries[0].memory.scope, count: entries.length }] : []))
    .filter(({ scope }) => !after || compareScopes(scope, after) > 0)
    .sort((a, b) => compareScopes(a.scope, b.scope))
    .slice(0, limit);
}

function compareScopes(one: Scope, other: Scope): number {
  for (const part of PARTS) {
    const difference = compareTexts(one[part], other[part]);
    if (difference !== 0) return difference;
  }
  return 0;
}
