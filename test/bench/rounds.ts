import type { Measured } from './load/load-client.ts';
import { median } from './quantile.ts';

export interface Compared {
  readonly limit: Measured;
  readonly subject: Measured;
  readonly ratio: number;
}

/**
 * Measures two operations in turn, A B A B, so that other load affects both. Many short rounds are more accurate than
 * few long ones. The ratio is the median of the rounds' ratios, subject to limit.
 */
export async function compare(
  rounds: number,
  ratioOf: (subject: Measured, limit: Measured) => number,
  limit: () => Promise<Measured>,
  subject: () => Promise<Measured>,
): Promise<Compared> {
  const limits: Measured[] = [];
  const subjects: Measured[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const below = await limit();
    const above = await subject();
    limits.push(below);
    subjects.push(above);
    ratios.push(ratioOf(above, below));
  }
  return { limit: overall(limits), subject: overall(subjects), ratio: median(ratios) };
}

/** Medians; CPU time as a mean, because the clock that it is read from is too coarse for one round. */
export function overall(rounds: readonly Measured[]): Measured {
  const of = (key: 'perSecond' | 'p50Us' | 'p99Us'): number => median(rounds.map((round) => round[key]));
  const serverUs = rounds.reduce((sum, round) => sum + round.serverUs, 0) / rounds.length;
  const threadsUs = new Map<string, number>();
  for (const round of rounds) {
    for (const [name, us] of round.threadsUs ?? []) {
      threadsUs.set(name, (threadsUs.get(name) ?? 0) + us / rounds.length);
    }
  }
  return { perSecond: of('perSecond'), p50Us: of('p50Us'), p99Us: of('p99Us'), serverUs, threadsUs };
}
