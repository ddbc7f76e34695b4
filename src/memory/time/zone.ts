import type { Micros } from '../memory.ts';
import type { TimeSpan } from './calendar.ts';
import { utcDayMs } from './instants.ts';

/** The clock of a time zone. A wall time is the instant at which a clock in UTC shows what this one shows. */
export interface Zone {
  wallUs(atUs: Micros): Micros;
  /**
   * The first instant at which the clock shows a wall time. Times over which clocks are put forward count from the
   * instant of that change.
   */
  instantUs(wallUs: Micros): Micros;
}

export const UTC: Zone = { wallUs: (atUs) => atUs, instantUs: (wallUs) => wallUs };

/** Whether it is the IANA name of a time zone, or an offset such as `+09:00`. */
export function isTimeZone(name: string): boolean {
  try {
    zoneNamed(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Throws a RangeError for an unknown time zone. */
export function zoneNamed(name: string): Zone {
  let zone = zones.get(name);
  if (!zone) {
    zone = name === 'UTC' ? UTC : new ClockZone(name);
    // Names differ by case too, so that a caller could make any number of them.
    if (zones.size >= ZONES_MAX) zones.clear();
    zones.set(name, zone);
  }
  return zone;
}

/** IANA name of the time zone of this machine; absent where that is UTC, as on most servers. */
export function machineZone(): string | undefined {
  const { timeZone: name } = new Intl.DateTimeFormat().resolvedOptions();
  return /^(?:Etc\/)?(?:UTC|UCT|GMT|Zulu|Universal)$/.test(name) ? undefined : name;
}

/** The instants of a span of wall times. */
export function inZone(zone: Zone, { fromUs, untilUs }: TimeSpan): TimeSpan {
  return { fromUs: zone.instantUs(fromUs), untilUs: zone.instantUs(untilUs) };
}

const ZONES_MAX = 1000;
const zones = new Map<string, Zone>();

const DAY_US = 86_400_000_000;
/** Since 1970 clocks have changed at whole quarters of an hour. */
const QUARTER_MS = 900_000;
const OFFSETS_KEPT = 4096;

class ClockZone implements Zone {
  private readonly format: Intl.DateTimeFormat;
  private readonly offsets = new Map<number, number>();

  constructor(name: string) {
    this.format = new Intl.DateTimeFormat('en-US-u-ca-iso8601', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  wallUs(atUs: Micros): Micros {
    return atUs + this.offsetUs(atUs);
  }

  instantUs(wallUs: Micros): Micros {
    const [first, second] = [wallUs + DAY_US, wallUs - DAY_US].map((atUs) => wallUs - this.offsetUs(atUs)) as [
      Micros,
      Micros,
    ];
    const shown = [first, second].filter((atUs) => this.wallUs(atUs) === wallUs);
    return shown.length > 0 ? Math.min(...shown) : Math.max(first, second);
  }

  private offsetUs(atUs: Micros): Micros {
    const atMs = Math.floor(atUs / 1000);
    if (atMs < 0) return this.readOffsetUs(atMs);
    const quarter = Math.floor(atMs / QUARTER_MS);
    let offsetUs = this.offsets.get(quarter);
    if (offsetUs === undefined) {
      offsetUs = this.readOffsetUs(atMs);
      if (this.offsets.size >= OFFSETS_KEPT) this.offsets.clear();
      this.offsets.set(quarter, offsetUs);
    }
    return offsetUs;
  }

  private readOffsetUs(atMs: number): Micros {
    const parts = this.format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)] as const);
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = Object.fromEntries(parts);
    const wallMs = utcDayMs(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * 1000;
    return (wallMs - Math.floor(atMs / 1000) * 1000) * 1000;
  }
}
