import { numberFrom, type SettingKind } from './setting-kinds.ts';

/** Relevance of a hit where it cannot be computed: without the learned order, or while texts are being read. */
export const UNKNOWN_RELEVANCE = 0.5;

/**
 * Lowest relevance at which a memory is considered to answer a text. Recall leaves out less relevant ones unless the
 * namespace or the request has another minimum.
 */
export const RELEVANT_MIN = 0.07;

const MIN_RELEVANCE = 'recall.min_relevance';
/** A default must not leave out hits whose relevance is unknown. */
const KIND = numberFrom(0, UNKNOWN_RELEVANCE);

/** Settings of recall by their dotted keys: those of a namespace override those of the server. */
export const RECALL_SETTINGS: Readonly<Record<string, SettingKind<number>>> = { [MIN_RELEVANCE]: KIND };

/** Lowest relevance of hits for a text where the request sets none; later layers win. */
export function minRelevanceOf(...layers: readonly ReadonlyMap<string, string>[]): number {
  const text = layers.findLast((layer) => layer.has(MIN_RELEVANCE))?.get(MIN_RELEVANCE);
  return (text === undefined ? undefined : KIND.read(text)) ?? RELEVANT_MIN;
}
