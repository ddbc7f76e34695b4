/** Scores of one lane by sequence, with what it takes to compare them: 0 stands for "not found". */
export interface LaneScores {
  of(sequence: number): number;
  /** Sequences whose score is not 0. */
  readonly found: ArrayLike<number>;
  readonly best: number;
  /** Over all memories of the namespace, those not found included. */
  readonly mean: number;
  readonly deviation: number;
}

export function laneOfMap(scores: ReadonlyMap<number, number>, size: number): LaneScores {
  let [best, sum, squares] = [0, 0, 0];
  for (const score of scores.values()) {
    if (score > best) best = score;
    sum += score;
    squares += score * score;
  }
  return {
    of: (sequence) => scores.get(sequence) ?? 0,
    found: Uint32Array.from(scores.keys()),
    best,
    ...spread(sum, squares, size),
  };
}

export function laneOfArray(scores: Float32Array, found: Uint32Array, size: number): LaneScores {
  let [best, sum, squares] = [0, 0, 0];
  for (let i = 0; i < found.length; i++) {
    const score = scores[found[i] as number] as number;
    if (score > best) best = score;
    sum += score;
    squares += score * score;
  }
  return { of: (sequence) => scores[sequence] ?? 0, found, best, ...spread(sum, squares, size) };
}

function spread(sum: number, squares: number, size: number): { mean: number; deviation: number } {
  const mean = size > 0 ? sum / size : 0;
  const variance = size > 0 ? Math.max(0, squares / size - mean * mean) : 0;
  return { mean, deviation: Math.sqrt(variance) };
}

/** The sequences of the best scores, best first; equal scores by sequence. */
export function bestOf(
  lane: LaneScores,
  count: number,
  isAllowed: (sequence: number) => boolean = () => true,
): number[] {
  const floor = floorOf(lane, count, isAllowed);
  const near: number[] = [];
  const { found } = lane;
  for (let i = 0; i < found.length; i++) {
    const sequence = found[i] as number;
    if (lane.of(sequence) >= floor && isAllowed(sequence)) near.push(sequence);
  }
  return near.sort((a, b) => lane.of(b) - lane.of(a) || a - b).slice(0, count);
}

const STEPS = 1024;

/** A score that at least `count` memories reach and not many more: one pass that counts instead of a sort of all. */
function floorOf(lane: LaneScores, count: number, isAllowed: (sequence: number) => boolean): number {
  if (!(lane.best > 0)) return 0;
  const counts = new Uint32Array(STEPS + 1);
  const scale = STEPS / lane.best;
  const { found } = lane;
  for (let i = 0; i < found.length; i++) {
    const sequence = found[i] as number;
    if (!isAllowed(sequence)) continue;
    const step = Math.max(0, Math.floor(lane.of(sequence) * scale));
    counts[step] = (counts[step] ?? 0) + 1;
  }
  let [step, reached] = [STEPS, counts[STEPS] ?? 0];
  while (step > 0 && reached < count) {
    step--;
    reached += counts[step] ?? 0;
  }
  // One step lower than counted: dividing and multiplying need not meet again.
  return step === 0 ? 0 : (step - 1) / scale;
}
