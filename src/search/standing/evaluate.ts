import { toThrown } from '../../memory/errors.ts';
import type { LocalEngine } from '../recall/local-engine.ts';
import type { StandingIndex } from './standing-index.ts';
import { type Evaluation, type SentEvaluated, toSent } from './standing-query.ts';

/** Maximum length of a slice before the thread serves other work. */
const SLICE_MS = 4;

/** Evaluates `near` queries, many in sequence: each as if alone, except that the index spares the search. */
export async function evaluated(
  standing: StandingIndex,
  engine: LocalEngine,
  evaluations: readonly Evaluation[],
): Promise<SentEvaluated[]> {
  const results: SentEvaluated[] = [];
  while (results.length < evaluations.length) {
    if (results.length > 0) await new Promise(setImmediate);
    await caughtUp(standing);
    // All queries of a slice see one state: changes stored since are applied together before the next slice.
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

/** An evaluation reads the log to its end: a backlog is applied first, with pauses for other work. */
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
    const answer = engine.search(asked, { nearTo: (state) => standing.nearTo(id, state, values, query.exact) });
    return toSent(asked, answer);
  } catch (error) {
    return { thrown: toThrown(error) };
  }
}
