import type { Micros } from '../memory.ts';

/**
 * History of a key, without texts: the order of its facts, and when each of them counted. Two axes: the time at which a
 * fact was true (`fromUs`, `untilUs`), and the time at which it was recorded (`atUs`).
 */
export interface Timeline {
  /** In the order in which they were recorded. */
  readonly entries: readonly TimelineEntry[];
}

export interface TimelineEntry {
  /** Id of the memory that has the fact. */
  readonly id: string;
  /** Digest of the value. */
  readonly value: string;
  readonly fromUs: Micros;
  /** `fromUs` is named by a statement. Absent: it is the time of the first statement, and the fact may be older. */
  readonly isBeginNamed?: true;
  /** Instants after `fromUs` at which it was asserted to be so, in order: the last 32. */
  readonly confirmedUs: readonly Micros[];
  /** End that was asserted with the value. */
  readonly claimedUntilUs?: Micros;
  readonly trust: number;
  /** Digests of the sentences that asserted it, the newest last. */
  readonly texts: readonly string[];
  /** End by a retraction, or by a value that replaces several. */
  readonly closed?: { readonly untilUs: Micros; readonly by?: string };
  /** It was withdrawn by undoing a supersession; id of the fact that counts again. */
  readonly withdrawnFor?: string;
  readonly forgottenAtUs?: Micros;
  /** Its recorded states, the newest last. Empty once it is forgotten. */
  readonly states: readonly FactState[];
}

/** When a fact counted, as was known from `atUs` on. */
export interface FactState {
  readonly atUs: Micros;
  readonly fromUs: Micros;
  readonly untilUs?: Micros;
  /** The fact that superseded it. */
  readonly by?: string;
}

const STATES_MAX = 32;
const TEXTS_MAX = 32;
const CONFIRMATIONS_MAX = 32;

export const EMPTY_TIMELINE: Timeline = { entries: [] };

/** True where the entry counts: neither forgotten nor withdrawn. */
export function counts({ forgottenAtUs, withdrawnFor }: TimelineEntry): boolean {
  return forgottenAtUs === undefined && withdrawnFor === undefined;
}

/** The state of an entry as recorded at an instant; default: now. */
export function stateOf(
  { states }: Pick<TimelineEntry, 'states'>,
  recordedUs: Micros = Number.POSITIVE_INFINITY,
): FactState | undefined {
  return states.findLast(({ atUs }) => atUs <= recordedUs);
}

/** True where an interval contains an instant; it ends before its end. */
export function covers(
  { fromUs, untilUs = Number.POSITIVE_INFINITY }: Pick<FactState, 'fromUs' | 'untilUs'>,
  atUs: Micros,
): boolean {
  return fromUs <= atUs && atUs < untilUs;
}

/** An entry with a sentence more that asserted it, at the end of the sentences. */
export function withText(entry: TimelineEntry, text: string): TimelineEntry {
  if (entry.texts.includes(text)) return entry;
  return { ...entry, texts: [...entry.texts, text].slice(-TEXTS_MAX) };
}

/** An entry that was asserted to be so at one more instant. */
export function confirmedAt(entry: TimelineEntry, atUs: Micros): TimelineEntry {
  const all = new Set([...entry.confirmedUs, entry.fromUs, atUs]);
  const [fromUs = atUs, ...confirmedUs] = [...all].sort((one, other) => one - other);
  return { ...entry, fromUs, confirmedUs: confirmedUs.slice(-CONFIRMATIONS_MAX) };
}

/** The timeline in which each entry ends where the next one begins, if one value counts at a time. */
export function linked({ entries }: Timeline, isSingle: boolean, atUs: Micros): Timeline {
  const order = entries
    .map((entry, at) => ({ entry, at }))
    .filter(({ entry }) => counts(entry))
    .sort((one, other) => one.entry.fromUs - other.entry.fromUs || one.at - other.at)
    .map(({ entry }) => entry);
  const next = new Map(isSingle ? order.map((entry, at) => [entry.id, order[at + 1]]) : []);
  return { entries: entries.map((entry) => withState(entry, intervalOf(entry, next.get(entry.id)), atUs)) };
}

type Interval = Omit<FactState, 'atUs'>;

function intervalOf(entry: TimelineEntry, next: TimelineEntry | undefined): Interval {
  const { fromUs, claimedUntilUs, closed, withdrawnFor } = entry;
  if (withdrawnFor !== undefined) {
    return { fromUs, untilUs: fromUs, ...(withdrawnFor === '' ? {} : { by: withdrawnFor }) };
  }
  const ends: { readonly untilUs: Micros; readonly by?: string }[] = [];
  if (next) ends.push({ untilUs: next.fromUs, by: next.id });
  if (closed) ends.push(closed);
  if (claimedUntilUs !== undefined) ends.push({ untilUs: claimedUntilUs });
  const end = ends.reduce<(typeof ends)[number] | undefined>(
    (first, one) => (first && first.untilUs <= one.untilUs ? first : one),
    undefined,
  );
  return { fromUs, ...end };
}

function withState(entry: TimelineEntry, interval: Interval, nowUs: Micros): TimelineEntry {
  if (entry.forgottenAtUs !== undefined) return entry;
  const last = entry.states.at(-1);
  const isSame = last?.fromUs === interval.fromUs && last.untilUs === interval.untilUs && last.by === interval.by;
  if (last && isSame) return entry;
  // The clock may have been set back; the state recorded last counts.
  const state = { atUs: Math.max(nowUs, last?.atUs ?? nowUs), ...interval };
  const [first, ...later] = entry.states;
  return { ...entry, states: first ? [first, ...later.slice(2 - STATES_MAX), state] : [state] };
}
