import { toThrown } from '../../memory/errors.ts';
import type { LocalEngine } from '../local-engine.ts';
import type { StandingIndex } from './standing-index.ts';
import { type Evaluation, type SentEvaluated, toSent } from './standing-query.ts';

/** After so long the thread looks at what else waits. */
const SLICE_MS = 4;

/** Asks `near` queries, many in a row: each as if it came by itself, but for the search, which the index spares it. */
export async function evaluated(
  standing: StandingIndex,
  engine: LocalEngine,
  evaluations: readonly Evaluation[],
): Promise<SentEvaluated[]> {
  const results: SentEvaluated[] = [];
  while (results.length < evaluations.length) {
    if (results.length > 0) await new Promise(setImmediate);
    await caughtUp(standing);
    // Those of a slice are asked of one state: what is stored meanwhile is looked at together, before the next.
    standing.inOneState(() => {
      const untilMs = performance.now() + SLICE_MS;
      do {
        const evaluation = evaluations[results.length];
        if (!evaluation) return;
        results.push(evaluatedOne(standing, engine, evaluation));
      } while (performance.now() <= untilMs);
    });
  }
  return results;
}

/** An evaluation follows the log to its end: what has gathered there is looked at before, with time for others in between. */
async function caughtUp(standing: StandingIndex): Promise<void> {
  const { newestRevision } = standing;
  while (standing.catchUp(newestRevision)) await new Promise(setImmediate);
}

function evaluatedOne(standing: StandingIndex, engine: LocalEngine, evaluation: Evaluation): SentEvaluated {
  const { id, nowUs, deadlineAtMs } = evaluation;
  const query = standing.lastingQuery(id, evaluation.query);
  if (!query) return { isUnknown: true };
  const { values } = query.embedding;
  try {
    const asked = { ...query, nowUs, deadlineAtMs, revision: 0 };
    const answer = engine.search(asked, (state) => standing.nearTo(id, state, values, query.exact));
    return toSent(asked, answer);
  } catch (error) {
    return { thrown: toThrown(error) };
  }
}
