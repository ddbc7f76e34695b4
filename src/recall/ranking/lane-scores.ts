/** Scores of one lane by sequence, with what it takes to compare them: 0 stands for "not found". */
export interface LaneScores {
  readonly values: Float32Array | Float64Array;
  /** Sequences whose score is not 0. */
  readonly found: Uint32Array;
  readonly best: number;
  /** Over all memories of the namespace, those not found included. */
  readonly mean: number;
  readonly deviation: number;
}

/** `size` is the number of memories of the namespace. */
export function laneOf(values: Float32Array | Float64Array, found: Uint32Array, size: number): LaneScores {
  let [best, sum, squares] = [0, 0, 0];
  for (let i = 0; i < found.length; i++) {
    const score = values[found[i] as number] as number;
    if (score > best) best = score;
    sum += score;
    squares += score * score;
  }
  const mean = size > 0 ? sum / size : 0;
  const variance = size > 0 ? Math.max(0, squares / size - mean * mean) : 0;
  return { values, found, best, mean, deviation: Math.sqrt(variance) };
}

/** The sequences of the best scores, best first; equal scores by sequence. */
export function bestOf(
  lane: Pick<LaneScores, 'values' | 'found' | 'best'>,
  count: number,
  isAllowed?: (sequence: number) => boolean,
): number[] {
  const floor = floorOf(lane, count, isAllowed);
  const near: number[] = [];
  const { values, found } = lane;
  for (let i = 0; i < found.length; i++) {
    const sequence = found[i] as number;
    if ((values[sequence] as number) >= floor && (!isAllowed || isAllowed(sequence))) near.push(sequence);
  }
  return near.sort((a, b) => (values[b] as number) - (values[a] as number) || a - b).slice(0, count);
}

const STEPS = 1024;
const counts = new Uint32Array(STEPS + 1);

/** A score that at least `count` memories reach and not many more: one pass that counts instead of a sort of all. */
function floorOf(
  { values, found, best }: Pick<LaneScores, 'values' | 'found' | 'best'>,
  count: number,
  isAllowed: ((sequence: number) => boolean) | undefined,
): number {
  if (!(best > 0) || found.length <= count) return 0;
  counts.fill(0);
  const scale = STEPS / best;
  for (let i = 0; i < found.length; i++) {
    const sequence = found[i] as number;
    const step = ((values[sequence] as number) * scale) | 0;
    if (!isAllowed || isAllowed(sequence)) counts[step] = (counts[step] as number) + 1;
  }
  let [step, reached] = [STEPS, counts[STEPS] ?? 0];
  while (step > 0 && reached < count) {
    step--;
    reached += counts[step] ?? 0;
  }
  // One step lower than counted: dividing and multiplying need not meet again.
  return step === 0 ? 0 : (step - 1) / scale;
}
