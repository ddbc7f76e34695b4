import type { Round } from './run-fuzz.ts';

const MIB = 1_048_576;
/** Rounds in which caches and pools fill up. */
const WARM_ROUNDS = 4;
/** What the memory of a server may grow by once it is warm, beside a share. */
const GROWTH_BYTES = 96 * MIB;
const GROWTH_SHARE = 1.3;

/** Why the memory of the server is not bounded; `undefined` where it is, or where there are too few rounds to say. */
export function growthIn(rounds: readonly Round[]): string | undefined {
  const warm = rounds.slice(WARM_ROUNDS).map(({ bytes }) => bytes);
  if (warm.length < 6) return undefined;
  const third = Math.floor(warm.length / 3);
  const [early, late] = [median(warm.slice(0, third)), median(warm.slice(-third))];
  if (late <= early * GROWTH_SHARE + GROWTH_BYTES) return undefined;
  return `memory grows from ${Math.round(early / MIB)} to ${Math.round(late / MIB)} MiB, with everything deleted after each round`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
