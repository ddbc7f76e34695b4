interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** The instant of a date and a time of the day in a zone; undefined for a day or an hour that does not exist. */
export function timeInZone({ year, month, day, hour, minute, second }: Parts, timeZone: string): Date | undefined {
  const wanted = Date.UTC(year, month - 1, day, hour, minute, second);
  const date = new Date(wanted);
  const isReal =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  if (!isReal) return undefined;
  // A second round for times next to a change of the clock.
  const first = wanted - offsetMs(wanted, timeZone);
  return new Date(wanted - offsetMs(first, timeZone));
}

function offsetMs(atMs: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const whole = Math.floor(atMs / 1000) * 1000;
  const parts = formatOf(timeZone).formatToParts(whole);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - whole;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const digits = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...digits });
  formats.set(timeZone, format);
  return format;
}
