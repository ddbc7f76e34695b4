const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const MICROS_PER_MS = 1000;

/** What a question says of a day. Parts that it does not say are absent. */
export interface DateParts {
  readonly day?: number;
  /** From 0. */
  readonly month?: number;
  readonly year?: number;
}

/** "May" counts beside a day or a year only: alone it is more often a verb. */
export function datePartsOf(words: readonly string[]): DateParts {
  const parts: { day?: number; month?: number; year?: number } = {};
  words.forEach((word, at) => {
    const month = MONTHS.indexOf(word);
    const beside = [words[at - 1] ?? '', words[at + 1] ?? ''];
    const day = beside.map(dayOf).find((one) => one !== undefined);
    if (month >= 0 && (word !== 'may' || day !== undefined || beside.some(isYear))) {
      parts.month = month;
      if (day !== undefined) parts.day = day;
    }
    if (isYear(word)) parts.year = Number(word);
  });
  return parts;
}

export function countOfParts({ day, month, year }: DateParts): number {
  return Number(day !== undefined) + Number(month !== undefined) + Number(year !== undefined);
}

/** How many of the parts an instant has, in UTC. */
export function partsMet(parts: DateParts, instantUs: number): number {
  if (countOfParts(parts) === 0) return 0;
  const date = new Date(instantUs / MICROS_PER_MS);
  return (
    Number(parts.day === date.getUTCDate()) +
    Number(parts.month === date.getUTCMonth()) +
    Number(parts.year === date.getUTCFullYear())
  );
}

function isYear(word: string): boolean {
  return /^(19|20)\d\d$/.test(word);
}

function dayOf(word: string): number | undefined {
  const found = /^(\d{1,2})(st|nd|rd|th)?$/.exec(word);
  const day = Number(found?.[1] ?? 0);
  return day >= 1 && day <= 31 ? day : undefined;
}
