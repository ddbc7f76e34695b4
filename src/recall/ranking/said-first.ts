/** What one candidate says of the question in its own words. */
export interface OwnWords {
  /** Share of the question's weight whose very tokens it has. */
  readonly share: number;
  /** It has a word of the question, or another form of one. */
  readonly hasAny: boolean;
  /** It is a question and nothing else. */
  readonly asks: boolean;
}

/** Shares are sums of 32-bit numbers. */
const ALL_MIN = 0.999;
/** Between one that was moved and the next. */
const STEP = 1e-6;

/**
 * Puts what has none of the question's words behind everything that has all of them, in place, and tells by how much each
 * was moved. Neighbours speak for a memory in the learned order: in a session of a few turns they all do, and a
 * query of two words is hardly more than what they say. Whole questions are seldom said word for word, so for them
 * this changes nothing. Order is kept among those moved.
 *
 * What only asks with all of the words tells nothing: it comes right behind the best that says them.
 */
export function putSaidFirst(scores: Float64Array, own: (row: number) => OwnWords): Float64Array {
  const moved = askedBehindSaid(scores, own);
  let floor = Number.POSITIVE_INFINITY;
  const silent: number[] = [];
  for (let row = 0; row < scores.length; row++) {
    const { share, hasAny } = own(row);
    if (share >= ALL_MIN) floor = Math.min(floor, scores[row] as number);
    else if (share === 0 && !hasAny) silent.push(row);
  }
  if (floor === Number.POSITIVE_INFINITY) return moved;
  silent.sort((a, b) => (scores[b] as number) - (scores[a] as number));
  let below = floor;
  for (const row of silent) {
    const score = scores[row] as number;
    if (score < below) {
      below = score;
      continue;
    }
    below -= STEP;
    scores[row] = below;
    moved[row] = below - score;
  }
  return moved;
}

function askedBehindSaid(scores: Float64Array, own: (row: number) => OwnWords): Float64Array {
  const moved = new Float64Array(scores.length);
  let best = Number.NEGATIVE_INFINITY;
  const asking: number[] = [];
  for (let row = 0; row < scores.length; row++) {
    const { share, asks } = own(row);
    if (share < ALL_MIN) continue;
    if (asks) asking.push(row);
    else best = Math.max(best, scores[row] as number);
  }
  if (best === Number.NEGATIVE_INFINITY) return moved;
  asking.sort((a, b) => (scores[b] as number) - (scores[a] as number));
  for (const row of asking) {
    const score = scores[row] as number;
    if (score < best) break;
    best -= STEP;
    scores[row] = best;
    moved[row] = best - score;
  }
  return moved;
}
