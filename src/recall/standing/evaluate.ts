import { toThrown } from '../../memory/thrown.ts';
import type { LocalEngine } from '../local-engine.ts';
import type { StandingIndex } from './standing-index.ts';
import type { Evaluated, Evaluation } from './standing-query.ts';

/** After so long the thread looks at what else waits. */
const SLICE_MS = 4;

/** Asks `near` queries, many in a row: each as if it came by itself, but for the search, which the index spares it. */
export async function evaluated(
  standing: StandingIndex,
  engine: LocalEngine,
  evaluations: readonly Evaluation[],
): Promise<Evaluated[]> {
  // An evaluation follows the log to its end: what has gathered there is looked at before, with time for others in between.
  const { newestRevision } = standing;
  while (standing.catchUp(newestRevision)) await new Promise(setImmediate);
  const results: Evaluated[] = [];
  let untilMs = performance.now() + SLICE_MS;
  for (const evaluation of evaluations) {
    results.push(evaluatedOne(standing, engine, evaluation));
    if (performance.now() < untilMs) continue;
    await new Promise(setImmediate);
    untilMs = performance.now() + SLICE_MS;
  }
  return results;
}

function evaluatedOne(standing: StandingIndex, engine: LocalEngine, evaluation: Evaluation): Evaluated {
  const { id, nowUs, deadlineAtMs } = evaluation;
  const query = standing.lastingQuery(id, evaluation.query);
  if (!query) return { isUnknown: true };
  const { values } = query.embedding;
  try {
    const asked = { ...query, nowUs, deadlineAtMs, revision: 0 };
    return { answer: engine.search(asked, (state) => standing.nearTo(id, state, values, query.exact)) };
  } catch (error) {
    return { thrown: toThrown(error) };
  }
}
