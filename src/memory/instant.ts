import type { Micros } from './memory.ts';

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(Z|z|[+-]\d\d:?\d\d)?$/;

/** The instant that a text of ISO 8601 names; without a time zone it is UTC. `undefined` for any other text. */
export function instantIn(text: string): Micros | undefined {
  const parts = ISO.exec(text);
  if (!parts) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = parts;
  const date = `${year}-${month}-${day}`;
  const offset = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const ms = Date.parse(`${date}T${hour}:${minute}:${second}${offset}`);
  // A date that no calendar has, such as the 31st of April, is read as one of the month after.
  if (Number.isNaN(ms) || !new Date(`${date}T00:00:00Z`).toISOString().startsWith(date)) return undefined;
  return ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}
