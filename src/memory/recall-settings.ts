import { numberFrom, type SettingKind } from './setting-kinds.ts';
import { isTimeZone } from './time/zone.ts';

/** Relevance of a hit where it cannot be computed: without the learned order, or while texts are being read. */
export const UNKNOWN_RELEVANCE = 0.5;

/**
 * Lowest relevance at which a memory is considered to answer a text. Recall leaves out less relevant ones unless the
 * namespace or the request has another minimum.
 */
export const RELEVANT_MIN = 0.07;

const MIN_RELEVANCE = 'recall.min_relevance';
const TIME_ZONE = 'recall.time_zone';
/** A default must not leave out hits whose relevance is unknown. */
const RELEVANCE = numberFrom(0, UNKNOWN_RELEVANCE);
const ZONE: SettingKind<string> = {
  read: (text) => (isTimeZone(text) ? text : undefined),
  expected: 'an IANA name such as Europe/Berlin, or an offset such as +09:00',
};

/** Settings of recall by their dotted keys: those of a namespace override those of the server. */
export const RECALL_SETTINGS: Readonly<Record<string, SettingKind<unknown>>> = {
  [MIN_RELEVANCE]: RELEVANCE,
  [TIME_ZONE]: ZONE,
};

/** What applies to requests that set nothing. */
export interface RecallDefaults {
  /** Lowest relevance of hits for a text. */
  readonly minRelevance: number;
  /** Zone of times in a text, and of windows of the calendar; absent: UTC. */
  readonly timeZone?: string;
}

/** Later layers win. */
export function recallDefaultsOf(...layers: readonly ReadonlyMap<string, string>[]): RecallDefaults {
  const valueIn = <T>(key: string, kind: SettingKind<T>): T | undefined => {
    const text = layers.findLast((layer) => layer.has(key))?.get(key);
    return text === undefined ? undefined : kind.read(text);
  };
  return { minRelevance: valueIn(MIN_RELEVANCE, RELEVANCE) ?? RELEVANT_MIN, timeZone: valueIn(TIME_ZONE, ZONE) };
}
