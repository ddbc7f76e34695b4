import { type SettingKind, timeSpan, wholeNumber } from './setting-kinds.ts';

const MIB = 1_048_576;

/** Settings of the cache of answers by their dotted keys. They are the server's: no namespace has any of its own. */
export const CACHE_SETTINGS: Readonly<Record<string, SettingKind<number>>> = {
  'cache.entries': wholeNumber(0, 1_000_000, ' (0: off)'),
  'cache.bytes': wholeNumber(65_536, 16_384 * MIB),
  'cache.ttl': timeSpan(),
};

/** Limits that were set over those given. */
export function cacheLimitsOf<
  L extends { readonly entriesMax: number; readonly bytesMax: number; readonly ttlMs: number },
>(settings: ReadonlyMap<string, string>, limits: L) {
  const set = (key: string): number | undefined => {
    const text = settings.get(key);
    return text === undefined ? undefined : CACHE_SETTINGS[key]?.read(text);
  };
  const ttlUs = set('cache.ttl');
  return {
    entriesMax: set('cache.entries') ?? limits.entriesMax,
    bytesMax: set('cache.bytes') ?? limits.bytesMax,
    ttlMs: ttlUs === undefined ? limits.ttlMs : ttlUs / 1000,
  };
}
