import { InvalidArgumentError } from 'commander';
import { PreciseDate } from '../../clients/typescript/src/index.ts';

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

/** A span of time in milliseconds, such as `90s`, `15m`, `2h` or `7d`. */
export function durationMs(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text) ?? [];
  const factor = UNIT_MS[unit ?? ''];
  if (amount === undefined || factor === undefined) throw expected('a span of time, such as 90s, 15m, 2h or 7d');
  return Number(amount) * factor;
}

/** A time such as `2024-05-08`, `2024-05-08T13:56` (local) or `2024-05-08T13:56:00.123456Z`. */
export function time(text: string): Date {
  if (!/^\d{4}-\d\d-\d\d/.test(text)) throw expected('a time, such as 2024-05-08 or 2024-05-08T13:56:00Z');
  try {
    return PreciseDate.from(text);
  } catch {
    throw expected('a time, such as 2024-05-08 or 2024-05-08T13:56:00Z');
  }
}

/** For flags that can be given several times. */
export function several(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

function expected(what: string): InvalidArgumentError {
  return new InvalidArgumentError(`Expected ${what}.`);
}
