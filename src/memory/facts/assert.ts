import type { Micros } from '../memory.ts';
import {
  confirmedAt,
  counts,
  covers,
  linked,
  stateOf,
  type Timeline,
  type TimelineEntry,
  withText,
} from './timeline.ts';

/** An assertion about a key. */
export interface Assertion {
  /** Digest of the value. */
  readonly value: string;
  readonly fromUs: Micros;
  /** False: `fromUs` is the time of the statement. */
  readonly isBeginNamed: boolean;
  /** When the statement was made; absent where only `fromUs` orders values. */
  readonly saidAtUs?: Micros;
  readonly untilUs?: Micros;
  /** Digest of the words that asserted it. */
  readonly text: string;
  readonly trust: number;
  /** A caller asserted it through the API: it may restore forgotten or corrected values. */
  readonly isExplicit: boolean;
  /** One value counts at a time. */
  readonly isSingle: boolean;
  /** Ends the other values of an attribute that has several. */
  readonly replaces: boolean;
}

/**
 * Why an assertion has no effect. `forgotten`, `corrected`: the value was, and only an explicit assertion restores it.
 * `repeated`: the sentence asserted the value before it was superseded. `outranked`: it would supersede a fact with a
 * source of more trust. `echoed`: a source of more trust has asserted it, and recalled facts are often repeated.
 * `full`: the key has its maximum number of values.
 */
export type IgnoredFor = 'forgotten' | 'corrected' | 'repeated' | 'outranked' | 'echoed' | 'full';

export type Asserted =
  | {
      readonly kind: 'created' | 'reinforced';
      readonly id: string;
      readonly timeline: Timeline;
      /** An equal entry, which counts after the new one. */
      readonly copy?: { readonly id: string; readonly of: string };
    }
  | { readonly kind: 'ignored'; readonly reason: IgnoredFor; readonly id?: string };

/** A timeline with an assertion. `newId`: id of an entry by its position among those of the key. */
export function assertInto(
  timeline: Timeline,
  stated: Assertion,
  atUs: Micros,
  { valuesMax, newId }: { readonly valuesMax: number; newId(number: number, value?: string): string },
): Asserted {
  const { entries } = timeline;
  const assertion = { ...stated, fromUs: beginAfterFormer(entries, stated) };
  const ofValue = entries.filter(({ value }) => value === assertion.value);
  const same = ofValue.filter(counts);
  const known = same.find((entry) => covers(stateOf(entry) ?? entry, assertion.fromUs));
  if (known && !assertion.isExplicit && assertion.trust < known.trust) {
    return { kind: 'ignored', reason: 'echoed', id: known.id };
  }
  if (known) return reinforced(timeline, known, assertion, atUs);
  if (!assertion.isExplicit) {
    const reason = refusalOf(entries, ofValue, assertion);
    if (reason) return { kind: 'ignored', reason, ...(same[0] && { id: same[0].id }) };
  }
  const rival = rivalOf(entries, assertion);
  const isSplit = rival?.confirmedUs.some((atUs) => atUs > assertion.fromUs) ?? false;
  const later = isSplit ? undefined : laterOfSame(entries, assertion);
  if (later) return reinforced(timeline, later, assertion, atUs);
  if (entries.length + Number(isSplit) >= valuesMax) return { kind: 'ignored', reason: 'full' };
  const done = created(timeline, assertion, atUs, freeId(entries, newId));
  return rival && isSplit && assertion.isSingle ? continued(done, rival, assertion.fromUs, atUs, newId) : done;
}

/**
 * A statement that names an earlier begin ("I moved to Oslo last month") follows the values that were stated before it,
 * unless they name a begin of their own: it begins when the last of them was stated.
 */
function beginAfterFormer(
  entries: readonly TimelineEntry[],
  { value, fromUs, isBeginNamed, saidAtUs = fromUs, isSingle, isExplicit }: Assertion,
): Micros {
  if (!isSingle || isExplicit || !isBeginNamed) return fromUs;
  const others = entries.filter((entry) => counts(entry) && entry.value !== value);
  const isBetween = (us: Micros) => fromUs < us && us <= saidAtUs;
  if (others.some((entry) => entry.isBeginNamed && isBetween(entry.fromUs))) return fromUs;
  const stated = others.flatMap((entry) => [entry.fromUs, ...entry.confirmedUs]).filter(isBetween);
  return Math.max(fromUs, ...stated);
}

/** A restore may have removed entries from the middle. */
function freeId(entries: readonly TimelineEntry[], newId: (number: number) => string): string {
  const isTaken = (number: number) => entries.some(({ id }) => id === newId(number));
  let number = entries.length;
  while (isTaken(number)) number++;
  return newId(number);
}

/** The value that counts at the time of an assertion of another one. */
function rivalOf(
  entries: readonly TimelineEntry[],
  { fromUs, isSingle, replaces }: Assertion,
): TimelineEntry | undefined {
  if (!isSingle && !replaces) return undefined;
  return entries.find((entry) => counts(entry) && covers(stateOf(entry) ?? entry, fromUs));
}

/** The former value counts again from when it was asserted to be so after the new one. */
function continued(
  done: Extract<Asserted, { readonly kind: 'created' | 'reinforced' }>,
  rival: TimelineEntry,
  splitUs: Micros,
  atUs: Micros,
  newId: (number: number, value?: string) => string,
): Asserted {
  const { claimedUntilUs, closed, value, trust, texts } = rival;
  const [fromUs = splitUs, ...confirmedUs] = rival.confirmedUs.filter((one) => one > splitUs);
  const id = freeId(done.timeline.entries, (number) => newId(number, value));
  const again: TimelineEntry = {
    id,
    value,
    fromUs,
    confirmedUs,
    claimedUntilUs,
    closed,
    trust,
    texts,
    states: [],
  };
  const before = { ...rival, confirmedUs: rival.confirmedUs.filter((one) => one <= splitUs) };
  const entries = [...done.timeline.entries.map((entry) => (entry.id === rival.id ? before : entry)), again];
  return { ...done, timeline: linked({ entries }, true, atUs), copy: { id, of: rival.id } };
}

function reinforced(timeline: Timeline, entry: TimelineEntry, assertion: Assertion, atUs: Micros): Asserted {
  const { fromUs, isBeginNamed, untilUs, text, trust, isSingle } = assertion;
  const after = {
    ...confirmedAt(withText(entry, text), fromUs),
    ...(isBeginNamed && fromUs <= entry.fromUs ? { isBeginNamed } : {}),
    trust: Math.max(entry.trust, trust),
    ...(untilUs === undefined ? {} : { claimedUntilUs: untilUs }),
  };
  const entries = timeline.entries.map((one) => (one.id === entry.id ? after : one));
  const others = assertion.replaces ? closedFor(entries, entry.id, assertion.fromUs) : entries;
  return { kind: 'reinforced', id: entry.id, timeline: linked({ entries: others }, isSingle, atUs) };
}

function created(
  timeline: Timeline,
  assertion: Assertion,
  atUs: Micros,
  id: string,
): Extract<Asserted, { readonly kind: 'created' | 'reinforced' }> {
  const { value, fromUs, isBeginNamed, untilUs, text, trust, isSingle, replaces } = assertion;
  const entry: TimelineEntry = {
    id,
    value,
    fromUs,
    ...(isBeginNamed ? { isBeginNamed } : {}),
    confirmedUs: [],
    claimedUntilUs: untilUs,
    trust,
    texts: [text],
    states: [],
  };
  const before = replaces && !isSingle ? closedFor(timeline.entries, id, fromUs) : timeline.entries;
  return { kind: 'created', id, timeline: linked({ entries: [...before, entry] }, isSingle, atUs) };
}

/** Ends the other values of the key when one replaces them. */
function closedFor(entries: readonly TimelineEntry[], by: string, untilUs: Micros): TimelineEntry[] {
  return entries.map((entry) => {
    const isOpen = entry.id !== by && counts(entry) && covers(stateOf(entry) ?? entry, untilUs);
    return isOpen ? { ...entry, closed: { untilUs, by } } : entry;
  });
}

function refusalOf(
  entries: readonly TimelineEntry[],
  ofValue: readonly TimelineEntry[],
  assertion: Assertion,
): IgnoredFor | undefined {
  const { fromUs, text, trust } = assertion;
  // A later explicit assertion has restored a previously forgotten or corrected value.
  const last = ofValue.at(-1);
  if (last?.forgottenAtUs !== undefined) return 'forgotten';
  if (last?.withdrawnFor !== undefined) return 'corrected';
  const ended = ofValue.filter((entry) => counts(entry) && (stateOf(entry)?.untilUs ?? Infinity) <= fromUs);
  if (ended.some(({ texts }) => texts.includes(text))) return 'repeated';
  const rival = rivalOf(entries, assertion);
  return rival && trust < rival.trust ? 'outranked' : undefined;
}

/** The same value from a later time on, with no other value between: it is known to have begun earlier. */
function laterOfSame(
  entries: readonly TimelineEntry[],
  { value, fromUs, untilUs, isSingle }: Assertion,
): TimelineEntry | undefined {
  const later = entries
    .filter((entry) => counts(entry) && entry.fromUs > fromUs && (isSingle || entry.value === value))
    .sort((one, other) => one.fromUs - other.fromUs)[0];
  const isApart = untilUs !== undefined && later !== undefined && untilUs < later.fromUs;
  return later?.value === value && !isApart ? later : undefined;
}
