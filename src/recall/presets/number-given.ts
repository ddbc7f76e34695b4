import type { ParameterReading } from './parameter-reading.ts';

const WHOLE = /^[+-]?\d{1,15}$/;

/** A number, or a text that is one: the Agent Memory API takes both. */
export function numberGiven(reading: ParameterReading, name: string): number | undefined {
  return read(reading, name, 'a number', (text) => (text === '' ? Number.NaN : Number(text)));
}

/** A whole number, or a text that is one. */
export function wholeNumberGiven(reading: ParameterReading, name: string): number | undefined {
  return read(reading, name, 'a whole number', (text) => (WHOLE.test(text) ? Number(text) : Number.NaN));
}

function read(
  reading: ParameterReading,
  name: string,
  what: string,
  parse: (text: string) => number,
): number | undefined {
  const given = reading.value(name);
  if (typeof given !== 'string') return given as number | undefined;
  const value = parse(given.trim());
  if (Number.isFinite(value)) return value;
  reading.add(name, `must be ${what}, got ${JSON.stringify(given)}`);
  return undefined;
}
