import type { Call } from '../../../memory/call.ts';
import { TIERS, type Tier } from '../../../memory/memory.ts';
import { currentCaller } from '../visibility/visibility.ts';
import { type AnswerRecallDeps, finished, searched, searchOf, seenBy } from './answer-recall.ts';
import type { RecallAnswer, RecallHit, RecallRequest } from './recall-request.ts';

const DEADLINE_MS = 30_000;

export type RecallStreamPart =
  | { readonly kind: 'hits'; readonly tier: Tier; readonly hits: readonly RecallHit[]; readonly revision: number }
  | { readonly kind: 'merged'; readonly answer: RecallAnswer };

/** Yields the hits of each tier, best first, and finally all of them in one order: that of `answerRecall`. */
export async function* recallStream(
  deps: AnswerRecallDeps,
  query: RecallRequest,
  provided: Call,
): AsyncGenerator<RecallStreamPart> {
  const call = { ...callOf(provided), deadlineAtMs: Math.min(provided.deadlineAtMs, Date.now() + DEADLINE_MS) };
  const { search, from = currentCaller() } = await searchOf(deps, query);
  const answer = await seenBy(from, () => searched(deps, { ...search, isPerTier: true }, call));
  const found = [...answer.hits, ...(answer.further ?? [])];
  for (const tier of query.tiers ?? TIERS) {
    const hits = found.filter(({ memory }) => memory.tier === tier);
    yield { kind: 'hits', tier, hits, revision: answer.revision };
  }
  yield { kind: 'merged', answer: await seenBy(from, () => finished(deps, query, answer)) };
}

/** The fields of a call that searches use: a spread omits class getters. */
function callOf({ signal, callId, principal, caller, deadlineAtMs }: Call): Call {
  return { signal, callId, principal, caller, deadlineAtMs };
}
