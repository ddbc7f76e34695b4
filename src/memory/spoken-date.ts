import type { Micros } from './memory.ts';

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** An instant as a date in words, such as "8 May 2023", in UTC: how people ask for days. */
export function spokenDate(instantUs: Micros): string {
  const date = new Date(instantUs / 1000);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;
}
