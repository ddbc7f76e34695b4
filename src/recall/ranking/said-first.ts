/** What one candidate says of the question in its own words. */
export interface OwnWords {
  /** Share of the question's weight whose very tokens it has. */
  readonly share: number;
  /** It has a word of the question, or another form of one. */
  readonly hasAny: boolean;
  /** It is a question and nothing else. */
  readonly asks: boolean;
}

/** From here on a share is all of the question's words: shares are sums of 32-bit numbers. */
export const ALL_MIN = 0.999;
/**
 * Between a score and the best of those that are put below it. What says nothing cannot make it good by recency and
 * importance at their default weights; what asks is a near tie, which weeks between the two may turn.
 */
const SILENT_GAP = 1.01;
const ASKING_GAP = 0.25;
/** Between one that was moved and the next. */
const STEP = 0.01;

/**
 * Puts what has none of the question's words behind everything that has all of them, in place, and tells by how much each
 * was moved. Neighbours speak for a memory in the learned order: in a session of a few turns they all do, and a
 * query of two words is hardly more than what they say. Whole questions are seldom said word for word, so for them
 * this changes nothing. Order is kept among those moved.
 *
 * What only asks with all of the words tells nothing: it comes right behind the best that says them.
 */
export function putSaidFirst(scores: Float64Array, own: (row: number) => OwnWords): Float64Array {
  const moved = new Float64Array(scores.length);
  const saying: number[] = [];
  const asking: number[] = [];
  const silent: number[] = [];
  for (let row = 0; row < scores.length; row++) {
    const { share, hasAny, asks } = own(row);
    if (share >= ALL_MIN) (asks ? asking : saying).push(row);
    else if (share === 0 && !hasAny) silent.push(row);
  }
  const scoresOf = (rows: readonly number[]) => rows.map((row) => scores[row] as number);
  if (saying.length > 0) putBelow(scores, moved, asking, Math.max(...scoresOf(saying)) - ASKING_GAP);
  const all = [...saying, ...asking];
  if (all.length > 0) putBelow(scores, moved, silent, Math.min(...scoresOf(all)) - SILENT_GAP);
  return moved;
}

/** Puts the rows at a score and below, in their order, those that are there already where they are. */
function putBelow(scores: Float64Array, moved: Float64Array, rows: number[], ceiling: number): void {
  rows.sort((a, b) => (scores[b] as number) - (scores[a] as number));
  let below = ceiling;
  for (const row of rows) {
    const score = scores[row] as number;
    if (score <= below) {
      below = score;
    } else {
      scores[row] = below;
      moved[row] = below - score;
    }
    below -= STEP;
  }
}
