import type { Call } from '../../../memory/call.ts';
import { digestOf, normalValue } from '../../../memory/facts/fact-key.ts';
import { factOf } from '../../../memory/facts/fact-record.ts';
import type { WriteOutcome } from '../../../storage/records.ts';
import { checkScopeAllowed } from '../visibility/visibility.ts';
import { assertFacts, type Statement, type StatementOutcome, type StatementOutcomes } from './assert-facts.ts';
import { getAll } from './change-keys.ts';
import { checkScopeSeen, type FactDeps, type StoredFact } from './fact-deps.ts';
import { storedFacts } from './read-facts.ts';

export interface AssertedFact extends StatementOutcome {
  readonly fact?: StoredFact;
  /** Of the first write, however often the call is repeated. */
  readonly revision: number;
}

/** Asserts one fact for a caller. Repeated with its request id it has one effect and the first outcome. */
export async function assertFact(
  deps: FactDeps,
  namespace: string,
  statement: Statement,
  call: Call,
): Promise<AssertedFact> {
  checkScopeAllowed(namespace, statement.scope);
  await checkScopeSeen(deps, namespace, statement.scope);
  const earlier = call.idempotency && (await deps.store.outcomeOf(namespace, call.idempotency));
  const { outcomes, revision } = earlier
    ? await repeatedOutcomes(deps, namespace, statement, earlier as WriteOutcome)
    : await assertFacts(deps, namespace, [statement], call);
  const [outcome] = outcomes;
  if (!outcome) throw new Error('one statement has one outcome');
  if (outcome.id === undefined) return { ...outcome, revision };
  const [memory] = await getAll(deps, namespace, [outcome.id], deps.clock.nowUs());
  const [fact] = memory ? await storedFacts(deps, namespace, [memory], call) : [];
  return { ...outcome, revision, fact };
}

async function repeatedOutcomes(
  deps: FactDeps,
  namespace: string,
  statement: Statement,
  earlier: WriteOutcome,
): Promise<StatementOutcomes> {
  const outcome = await repeatedOutcome(deps, namespace, statement, earlier);
  return { outcomes: [outcome], revision: earlier.revision };
}

/** The outcome of a statement, from the memories that it wrote. */
async function repeatedOutcome(
  { store, clock, autoCreateNamespaces }: FactDeps,
  namespace: string,
  { value, retracts }: Statement,
  { memories }: WriteOutcome,
): Promise<StatementOutcome> {
  const nowUs = clock.nowUs();
  const ids = memories.map(({ id }) => id);
  const found = await getAll({ store, autoCreateNamespaces }, namespace, ids, nowUs);
  const facts = found.flatMap((memory) => (memory && factOf(memory)) ?? []);
  if (retracts) {
    const endedIds = facts.map(({ id }) => id);
    return { kind: 'retracted', ...(endedIds[0] !== undefined && { id: endedIds[0] }), endedIds };
  }
  const digest = digestOf(normalValue(value));
  const asserted = facts.find((fact) => digestOf(normalValue(fact.value)) === digest);
  const endedIds = facts.filter(({ id }) => id !== asserted?.id).map(({ id }) => id);
  if (!asserted) return { kind: 'created', endedIds };
  const { id } = asserted;
  const beforeRevision = memories.find((receipt) => receipt.id === id)?.revision ?? 0;
  const former = await store.revisions({ namespace, id, limit: 1, beforeRevision, nowUs });
  return { kind: former.length > 0 ? 'reinforced' : 'created', id, endedIds };
}
