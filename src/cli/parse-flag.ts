import { InvalidArgumentError } from 'commander';
import type { Tier } from '../../clients/typescript/src/index.ts';
import { timeOf } from './time-words.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Readers of the values of flags: commander puts what they expected behind the flag's name. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw expected(`a whole number from ${min} to ${max}`);
    return value;
  };
}

export function numberFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!(value >= min && value <= max)) throw expected(`a number from ${min} to ${max}`);
    return value;
  };
}

export function finiteNumber(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw expected('a number');
  return value;
}

/** Numbers with commas between them, such as `48.85,2.35`. */
export function numbers(countMin: number, countMax: number): (text: string) => number[] {
  return (text) => {
    const values = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
    if (values.length >= countMin && values.length <= countMax && values.every(Number.isFinite)) return values;
    throw expected(
      `${countMin === countMax ? countMin : `${countMin} or ${countMax}`} numbers with commas between them`,
    );
  };
}

/** A span of time in milliseconds, such as `90s`, `15m`, `2h` or `7d`. */
export function durationMs(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text) ?? [];
  const factor = UNIT_MS[unit ?? ''];
  if (amount === undefined || factor === undefined) throw expected('a span of time, such as 90s, 15m, 2h or 7d');
  return Number(amount) * factor;
}

/** A time such as `2024-05-08`, `2024-05-08T13:56Z` or `last week`. */
export function time(text: string): Date {
  const found = timeOf(text, new Date());
  if (!found) throw expected('a time, such as 2026-11-01, 2026-11-01T15:30, yesterday or "2 days ago"');
  return found;
}

export function jsonObject(text: string): { readonly [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw expected('a JSON object, such as {"hours": 2}');
}

/** For `key=value` flags that can be given several times. */
export function setting(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1) throw expected('key=value, such as short_term.ttl=2h');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** The id of a memory, or its full resource name. */
export function memoryId(text: string): string {
  if (/^(?:namespaces\/.+|[A-Za-z0-9._~:-]{1,128})$/.test(text)) return text;
  throw expected('the id of a memory: 1 to 128 letters, digits and . _ ~ : -');
}

export function memoryIds(text: string, before: readonly string[] = []): string[] {
  return [...before, memoryId(text)];
}

export const TIERS: readonly Tier[] = ['short_term', 'intermediate', 'long_term'];

export const tier = tierAmong(TIERS);

export function tierAmong(tiers: readonly Tier[]): (text: string) => Tier {
  return (text) => {
    const found = tiers.find((name) => name === text);
    if (!found) throw expected(`one of ${tiers.join(', ')}`);
    return found;
  };
}

/** Nothing at all would stand for everything. */
export function some(text: string): string {
  if (text === '') throw expected('a name, which is not empty');
  return text;
}

/** For flags that can be given several times. */
export function several(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

function expected(what: string): InvalidArgumentError {
  return new InvalidArgumentError(`Expected ${what}.`);
}
