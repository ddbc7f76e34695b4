/** Numbers as people read them. */
import type { Unit } from '../../src/server/config/setting.ts';

const SPANS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
];
const SIZES: readonly (readonly [name: string, bytes: number])[] = [
  ['TiB', 2 ** 40],
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
];

/** More of a unit are harder to read than the number itself. */
const COUNT_MAX = 100_000;

export function withUnit(value: number, unit: Unit): string {
  if (unit === 'ms') return inLargest(value, SPANS, 'ms');
  if (unit === 'bytes') return inLargest(value, SIZES, 'bytes');
  return unit === '' ? grouped(value) : `${grouped(value)} ${unit}`;
}

/** `1,048,576` */
export function grouped(value: number): string {
  if (value === Number.MAX_SAFE_INTEGER) return '2^53 − 1';
  return value.toLocaleString('en-US', { maximumFractionDigits: 6 });
}

function inLargest(value: number, units: readonly (readonly [string, number])[], smallest: string): string {
  if (value === 0) return '0';
  const fits = ([, size]: readonly [string, number]) => value % size === 0 && value / size < COUNT_MAX;
  const [name, size] = units.find(fits) ?? [smallest, 1];
  return `${grouped(value / size)} ${name}`;
}
