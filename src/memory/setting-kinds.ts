/** How the text of a setting is read, and how it is described. */
export interface SettingKind<T> {
  /** `undefined` when the text is not one. */
  read(text: string): T | undefined;
  /** Ends the sentence "must be …". */
  readonly expected: string;
}

const UNIT_US: Readonly<Record<string, number>> = {
  ms: 1000,
  s: 1_000_000,
  m: 60_000_000,
  h: 3_600_000_000,
  d: 86_400_000_000,
  w: 604_800_000_000,
};
const DURATION_MAX_US = 520 * 604_800_000_000;
const LIST_LENGTH_MAX = 64;

export function wholeNumber(min: number, max: number, more = ''): SettingKind<number> {
  return {
    read: (text) => (/^\d{1,16}$/.test(text) ? within(Number(text), min, max) : undefined),
    expected: `a whole number from ${min} to ${max}${more}`,
  };
}

export function numberFrom(min: number, max: number, more = ''): SettingKind<number> {
  return {
    read: (text) => (/^\d{1,15}(?:\.\d{1,15})?$/.test(text) ? within(Number(text), min, max) : undefined),
    expected: `a number from ${min} to ${max}${more}`,
  };
}

/** In microseconds; `undefined` inside where it is `none`. */
export function spanOrNone(): SettingKind<{ readonly us?: number }> {
  const span = timeSpan();
  return {
    read: (text) => {
      const us = span.read(text);
      if (us !== undefined) return { us };
      return text === 'none' ? {} : undefined;
    },
    expected: `${span.expected}, or none`,
  };
}

/** In microseconds. */
export function timeSpan(): SettingKind<number> {
  return {
    read: (text) => {
      const [, amount = '', unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?)(ms|s|m|h|d|w)$/.exec(text) ?? [];
      const us = Math.round(Number(amount) * (UNIT_US[unit] ?? Number.NaN));
      return within(us, 1000, DURATION_MAX_US);
    },
    expected: 'a span of time above zero and up to 520w, such as 90s, 15m, 2h or 7d',
  };
}

/** Microseconds, or a number of steps. */
export function timeOrSteps(): SettingKind<{ readonly per: 'time' | 'step'; readonly interval: number }> {
  const span = timeSpan();
  return {
    read: (text) => {
      const us = span.read(text);
      if (us !== undefined) return { per: 'time', interval: us };
      const steps = within(Number(/^(\d{1,12}) ?steps?$/.exec(text)?.[1] ?? Number.NaN), 1, 1e12);
      return steps === undefined ? undefined : { per: 'step', interval: steps };
    },
    expected: `${span.expected}, or a number of steps, such as 100 steps`,
  };
}

export function choice<const T extends string>(...values: readonly T[]): SettingKind<T> {
  return { read: (text) => values.find((value) => value === text), expected: `one of ${values.join(', ')}` };
}

/** Words with commas between them; none when empty. */
export function words(pattern: RegExp, what: string): SettingKind<readonly string[]> {
  return {
    read: (text) => {
      const list = text === 'none' ? [] : text.split(',').map((word) => word.trim());
      return list.length <= LIST_LENGTH_MAX && list.every((word) => pattern.test(word))
        ? [...new Set(list)]
        : undefined;
    },
    expected: `at most ${LIST_LENGTH_MAX} ${what} with commas between them, or none`,
  };
}

function within(value: number, min: number, max: number): number | undefined {
  return value >= min && value <= max ? value : undefined;
}

const MIB = 1_048_576;

/** Settings of the answer cache by their dotted keys. They apply to the whole server, never to one namespace. */
export const CACHE_SETTINGS: Readonly<Record<string, SettingKind<number>>> = {
  'cache.entries': wholeNumber(0, 1_000_000, ' (0: off)'),
  'cache.bytes': wholeNumber(65_536, 16_384 * MIB),
  'cache.ttl': timeSpan(),
};

/** The configured limits, with runtime settings applied. */
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
