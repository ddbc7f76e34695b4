import { randomOf } from '../../support/random.ts';

export const MODES = ['embedded', 'postgres', 'postgres_redis'] as const;
/** Where the server keeps its data. */
export type Mode = (typeof MODES)[number];

/**
 * Each with its share of the rounds, by mode; 0 where the mode has no such fault. The backend is Redis or PostgreSQL, or
 * one of both in turn.
 */
const SHARES = {
  kill: { embedded: 38, postgres: 34, postgres_redis: 34 },
  kill_starting: { embedded: 22, postgres: 16, postgres_redis: 16 },
  kill_backend: { embedded: 0, postgres: 14, postgres_redis: 14 },
  freeze: { embedded: 5, postgres: 5, postgres_redis: 5 },
  freeze_backend: { embedded: 0, postgres: 8, postgres_redis: 8 },
  full_disk: { embedded: 8, postgres: 0, postgres_redis: 0 },
  slow_disk: { embedded: 7, postgres: 0, postgres_redis: 0 },
  clock: { embedded: 7, postgres: 7, postgres_redis: 7 },
  damaged_page: { embedded: 3, postgres: 0, postgres_redis: 0 },
  cut: { embedded: 6, postgres: 11, postgres_redis: 11 },
  cut_backend: { embedded: 0, postgres: 0, postgres_redis: 8 },
  hostile: { embedded: 4, postgres: 5, postgres_redis: 5 },
} as const satisfies Record<string, Record<Mode, number>>;

export type Fault = keyof typeof SHARES;
export const FAULTS = Object.keys(SHARES) as Fault[];

export function faultsOf(mode: Mode): Fault[] {
  return FAULTS.filter((fault) => SHARES[fault][mode] > 0);
}

/** One round: a workload, a fault in the middle of it, and the end of the server in most rounds. */
export interface Round {
  readonly number: number;
  readonly fault: Fault;
  /** Writes that are acknowledged before the fault begins. */
  readonly afterWrites: number;
  /** Time from then to the fault. */
  readonly delayMs: number;
  /** How long the fault lasts. */
  readonly lastsMs: number;
  /** Kills the server while writes are in flight; otherwise it goes on into the next round. */
  readonly endsWithKill: boolean;
  /** Further kills of the server, each so long after it was started. */
  readonly startKillsMs: readonly number[];
  /** Offset of the server's wall clock from the fault on, where the fault is `clock`. */
  readonly clockOffsetMs: number;
  /** Chooses among the variants of a fault. */
  readonly variant: number;
  readonly ranker: 'learned' | 'fusion';
}

const HOUR_MS = 3_600_000;
/** Two jumps differ by less than request ids are kept. */
const CLOCK_HOURS = 10;
/** Of faults that last longer or shorter than most. */
const LASTS_MS_MAX: Partial<Record<Fault, number>> = {
  kill: 120,
  kill_starting: 120,
  damaged_page: 120,
  hostile: 1500,
};
/** A server is serving after some 500 ms. */
const START_KILL_MS_MAX = 700;

/**
 * A round of a campaign: a pure function of seed, mode and number, so that the same seed replays the same rounds. A fault that
 * the machine does not offer is replaced by a kill.
 */
export function roundOf(seed: string, mode: Mode, number: number, without: readonly Fault[] = []): Round {
  const random = randomOf('round', `${seed}-${mode}-${number}`);
  const drawn = faultOf(mode, random.next());
  const endsWithKill = random.chance(0.7);
  const startKills = drawn === 'kill_starting' ? 1 + random.int(3) : random.chance(0.15) ? 1 : 0;
  const round: Round = {
    number,
    fault: without.includes(drawn) ? 'kill' : drawn,
    afterWrites: random.chance(0.2) ? random.int(4) : 10 + random.int(70),
    delayMs: random.int(20),
    lastsMs: random.int(LASTS_MS_MAX[drawn] ?? 700),
    endsWithKill: endsWithKill || drawn.startsWith('kill') || drawn === 'damaged_page',
    startKillsMs: Array.from({ length: startKills }, () => 20 + random.int(START_KILL_MS_MAX)),
    clockOffsetMs: Math.round((random.next() * 2 - 1) * CLOCK_HOURS * HOUR_MS),
    variant: random.int(1000),
    ranker: random.chance(0.2) ? 'learned' : 'fusion',
  };
  return drawn === 'kill_backend' ? { ...round, endsWithKill } : round;
}

function faultOf(mode: Mode, at: number): Fault {
  const total = FAULTS.reduce((sum, fault) => sum + SHARES[fault][mode], 0);
  let left = at * total;
  for (const fault of FAULTS) {
    left -= SHARES[fault][mode];
    if (left < 0) return fault;
  }
  return 'kill';
}
