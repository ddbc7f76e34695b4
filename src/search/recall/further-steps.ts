import type { LearnedHit } from '../ranking/learned-ranker.ts';
import { type AdjustmentPart, NO_ADJUSTMENT } from '../reading/adjust.ts';
import { type Named, namedIn, questionForName } from '../reading/references.ts';

/** Names that are put into the question, each with at most two searches. */
const STEPS_MAX = 2;
/** Best hits that may tell a name. */
const TELLING_MAX = 5;
/** Best hits of a further search that are looked at: those with the name count. */
const LOOKED_MAX = 12;
/** Hits of a further search that are moved forward, and their least relevance to its question. */
const FORWARD_MAX = 3;
const FORWARD_RELEVANCE_MIN = 0.1;
/** From this relevance on the best hit of a further search is the answer. */
const ANSWER_RELEVANCE_MIN = 0.4;
/** As in `newer-first.ts`: recency and importance do not make up for it. */
const LEAD = 1.01;
const GAP = 0.01;
const PART: AdjustmentPart = 'further step';

/**
 * Where the question describes something whose name one of the best hits tells ("my sister"), asks with the name, and moves
 * the best hits of that question forward. Best first.
 */
export function withFurtherSteps(
  text: string,
  hits: readonly LearnedHit[],
  textOf: (sequence: number) => string,
  ask: (text: string) => readonly LearnedHit[],
): readonly LearnedHit[] {
  const told = (found: readonly LearnedHit[]) => found.slice(0, TELLING_MAX).map(({ sequence }) => textOf(sequence));
  let [all, last, question] = [hits, hits, text];
  for (let step = 0; step < STEPS_MAX; step++) {
    const named = namedIn(question, told(last)) ?? namedBy(question, (asked) => told(ask(asked)));
    if (named === undefined) break;
    question = named.question;
    last = ask(question);
    const name = named.name.slice(named.name.lastIndexOf(' ') + 1);
    all = withForward(
      all,
      last.slice(0, LOOKED_MAX).filter(({ sequence }) => textOf(sequence).includes(name)),
    );
  }
  return all;
}

/** Where no hit tells the name, a search for it may. */
function namedBy(question: string, tellingOf: (asked: string) => readonly string[]): Named | undefined {
  const asked = questionForName(question);
  return asked === undefined ? undefined : namedIn(question, tellingOf(asked));
}

/** The first one is the answer where it is relevant enough, or as relevant as the best hit; the others come behind the hits that told a name. */
function withForward(hits: readonly LearnedHit[], found: readonly LearnedHit[]): readonly LearnedHit[] {
  const moved = found.slice(0, FORWARD_MAX).filter(({ relevance }) => relevance >= FORWARD_RELEVANCE_MIN);
  const [best] = hits;
  if (!best || moved.length === 0) return hits;
  const behind = hits[Math.min(hits.length, FORWARD_MAX) - 1] ?? best;
  const all = new Map(hits.map((hit) => [hit.sequence, hit]));
  for (const [place, step] of moved.entries()) {
    const hit = all.get(step.sequence) ?? step;
    const isAnswer = place === 0 && step.relevance >= Math.min(best.relevance, ANSWER_RELEVANCE_MIN);
    const target = isAnswer ? best.score + LEAD : behind.score - GAP * (place + 1);
    if (all.has(step.sequence) && hit.score >= target) continue;
    const before = hit.adjustment ?? NO_ADJUSTMENT;
    const gain = target - hit.score;
    const parts = { ...before.parts, [PART]: before.parts[PART] + gain };
    const outdatedBy = step.adjustment?.outdatedBy ?? -1;
    all.set(step.sequence, {
      ...hit,
      score: target,
      relevance: Math.max(hit.relevance, step.relevance),
      adjustment: { ...before, total: before.total + gain, parts, outdatedBy: Math.max(before.outdatedBy, outdatedBy) },
    });
  }
  return [...all.values()].sort((a, b) => b.score - a.score);
}
