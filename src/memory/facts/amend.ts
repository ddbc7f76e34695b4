import type { Micros } from '../memory.ts';
import { counts, covers, linked, stateOf, type Timeline, type TimelineEntry } from './timeline.ts';

/** Ends values at an instant: the one of a digest, or all that count then. `undefined` where there is none. */
export function retractFrom(
  timeline: Timeline,
  { value, atValidUs, isSingle }: { readonly value?: string; readonly atValidUs: Micros; readonly isSingle: boolean },
  atUs: Micros,
): Timeline | undefined {
  const isMeant = (entry: TimelineEntry) =>
    counts(entry) && (value === undefined || entry.value === value) && covers(stateOf(entry) ?? entry, atValidUs);
  if (!timeline.entries.some(isMeant)) return undefined;
  const entries = timeline.entries.map((entry) =>
    isMeant(entry) ? { ...entry, closed: { untilUs: atValidUs } } : entry,
  );
  return linked({ entries }, isSingle, atUs);
}

export interface Undone {
  readonly timeline: Timeline;
  readonly restoredId: string;
  /** The fact that had superseded it, where one value counts at a time; it is withdrawn. */
  readonly withdrawnId?: string;
}

/** Undoes the supersession of a fact. `undefined` where it is not superseded. */
export function undoSupersession(timeline: Timeline, id: string, isSingle: boolean, atUs: Micros): Undone | undefined {
  const entry = timeline.entries.find((one) => one.id === id);
  const state = entry && stateOf(entry);
  if (!entry || !counts(entry) || !state) return undefined;
  if (entry.closed && state.untilUs === entry.closed.untilUs) {
    const { closed: _, ...open } = entry;
    const entries = timeline.entries.map((one) => (one.id === id ? open : one));
    return { timeline: linked({ entries }, isSingle, atUs), restoredId: id };
  }
  const { by } = state;
  if (by === undefined) return undefined;
  const entries = timeline.entries.map((one) => (one.id === by ? { ...one, withdrawnFor: id } : one));
  return { timeline: linked({ entries }, isSingle, atUs), restoredId: id, withdrawnId: by };
}

/**
 * Forgets entries permanently: only the digest of each value remains, which prevents its return. Facts that they had
 * superseded stay superseded.
 */
export function forgetFrom(timeline: Timeline, ids: ReadonlySet<string>, isSingle: boolean, atUs: Micros): Timeline {
  const entries = timeline.entries.map((entry): TimelineEntry => {
    if (ids.has(entry.id)) {
      if (entry.forgottenAtUs !== undefined) return entry;
      const { id, value, fromUs, trust } = entry;
      return { id, value, fromUs, confirmedUs: [], trust, texts: [], forgottenAtUs: atUs, states: [] };
    }
    const state = stateOf(entry);
    if (!counts(entry) || state?.by === undefined || !ids.has(state.by) || state.untilUs === undefined) return entry;
    return { ...entry, closed: { untilUs: state.untilUs } };
  });
  return linked({ entries }, isSingle, atUs);
}

/** Adds a stored fact to the timeline of its key, in its position. */
export function adoptInto(timeline: Timeline, entry: TimelineEntry, isSingle: boolean, atUs: Micros): Timeline {
  return linked({ entries: [...timeline.entries, entry] }, isSingle, atUs);
}
