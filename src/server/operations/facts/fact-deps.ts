import { type Fact, isKeyRecord } from '../../../memory/facts/fact-record.ts';
import type { FactState } from '../../../memory/facts/timeline.ts';
import type { Memory, Scope } from '../../../memory/memory.ts';
import type { Records } from '../../../storage/records.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import { scopeIsPrivate, scopeRefusal, type VisibilityRules } from '../visibility/visibility.ts';

/**
 * Dependencies of operations on facts. `store` has all memories; `visibilityRules` limit those that a caller may see.
 */
export interface FactDeps extends MemoryDeps {
  readonly visibilityRules: VisibilityRules;
  /** The memories that the caller sees: a hidden one is missing there, whether intact or damaged. */
  readonly seen: Pick<Records, 'get'>;
  /** Time in which the confidence of a fact that is not asserted again halves. */
  readonly factHalfLifeDays: number;
}

/** A fact with its interval and the memory that has it. */
export interface StoredFact {
  readonly fact: Fact;
  readonly state: FactState;
  readonly memory: Memory;
}

/**
 * Whether a memory lies outside the scopes that the caller is limited to. Records of keys belong to no scope: operations
 * read them by keys of scopes that the caller has.
 */
export function isOutside(memory: Pick<Memory, 'namespace' | 'type' | 'scope'>): boolean {
  return !isKeyRecord(memory) && scopeRefusal(memory.namespace, memory.scope) !== undefined;
}

/** Fails with SCOPE_PRIVATE where the caller may not see facts of the scope. */
export async function checkScopeSeen({ visibilityRules }: FactDeps, namespace: string, scope: Scope): Promise<void> {
  const { sees } = await visibilityRules.of(namespace);
  if (!sees(scope)) throw scopeIsPrivate(`facts of the scope in namespaces/${namespace}`);
}
