import type { FusedPlan } from '../../recall/presets/preset.ts';
import type { RecallAnswer, RecallHit } from './recall-request.ts';

interface Wish {
  readonly limit: number;
  readonly minScore: number | undefined;
  readonly explain: boolean;
}

/** Puts the answers of a plan's parts together: what several of them found adds up. */
export function fuse(plan: FusedPlan, answers: readonly RecallAnswer[], wish: Wish): RecallAnswer {
  const found = new Map<string, RecallHit>();
  for (const [at, { name, weight }] of plan.parts.entries()) {
    const hits = answers[at]?.hits ?? [];
    const scale = scaleOf(hits);
    for (const [place, hit] of hits.entries()) {
      const value = scale(hit.score) * (1 - plan.placeShare) + (1 - place / hits.length) * plan.placeShare;
      const component = { name, value: hit.score, contribution: weight * value, rank: place + 1 };
      const known = found.get(hit.memory.id);
      const passage = known?.passage ?? hit.passage;
      found.set(hit.memory.id, {
        ...hit,
        ...(passage && { passage }),
        score: (known?.score ?? 0) + component.contribution,
        relevance: Math.max(known?.relevance ?? 0, hit.relevance),
        components: wish.explain ? [...(known?.components ?? []), component] : [],
        matchedTerms: [...new Set([...(known?.matchedTerms ?? []), ...hit.matchedTerms])],
      });
    }
  }
  const hits = [...found.values()]
    .filter(({ score }) => score >= (wish.minScore ?? Number.NEGATIVE_INFINITY))
    .sort(
      (a, b) => b.score - a.score || b.memory.eventAtUs - a.memory.eventAtUs || (a.memory.id < b.memory.id ? -1 : 1),
    );
  const ends = answers.map(({ untilUs }) => untilUs);
  const isBounded = ends.every((untilUs) => untilUs !== undefined);
  return {
    hits: hits.slice(0, wish.limit),
    ...(isBounded ? { untilUs: Math.min(...ends) } : {}),
    lanes: [...new Set(answers.flatMap(({ lanes }) => lanes))],
    degraded: answers.flatMap(({ degraded }) => degraded),
    candidateCount: found.size,
    damagedIds: [...new Set(answers.flatMap(({ damagedIds = [] }) => damagedIds))],
    goneIds: [...new Set(answers.flatMap(({ goneIds = [] }) => goneIds))],
    revision: Math.min(...answers.map(({ revision }) => revision)),
  };
}

/** Leaves scores of 0 to 1 as they are and brings others there. */
function scaleOf(hits: readonly RecallHit[]): (score: number) => number {
  const scores = hits.map(({ score }) => score);
  const [least, most] = [Math.min(...scores), Math.max(...scores)];
  if (least >= 0 && most <= 1) return (score) => score;
  return most === least ? () => 1 : (score) => (score - least) / (most - least);
}
