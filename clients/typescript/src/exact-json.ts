/** A value that JSON can carry. Integers beyond ±(2^53 - 1) are bigints, which keep all digits. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [key: string]: Json };

interface RawJson {
  rawJSON(text: string): unknown;
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
}

const rawJson = JSON as unknown as RawJson;
const INTEGER = /^-?\d+$/;

/** The value of a JSON text; integers beyond ±(2^53 - 1) are bigints, which keep all digits. */
export function exactJson(text: string): Json {
  return rawJson.parse(text, (_key, value, { source = '' }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && INTEGER.test(source) ? BigInt(source) : value,
  ) as Json;
}

/** Replacer of `JSON.stringify` that writes bigints with all digits. */
export function withBigInts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJson.rawJSON(String(value)) : value;
}
