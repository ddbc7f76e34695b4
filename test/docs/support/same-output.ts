/**
 * Compares the output of a command with a page. Values that vary between runs may differ, within their form:
 *
 * - ids (UUIDs): another one, but the same wherever the page has the same;
 * - times of the run itself, within a day and a half of now; other dates are compared as they are;
 * - durations in milliseconds or seconds with decimals, such as `3 ms`;
 * - numbers with two decimals or more: within 0.02, as far as processors round differently;
 * - the version of Mneme.
 */
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const TIME = '\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?Z?';
const DURATION = '\\b\\d+(?:\\.\\d+)? (?:ms|s)\\b';
const VERSION = '\\b\\d+\\.\\d+\\.\\d+\\b';
const DECIMAL = '[-−+]?\\d+\\.\\d{2,}';
const VARIES = new RegExp(`(${UUID})|(${TIME})|(${DURATION})|(?<![\\d.])(${VERSION})(?![\\d.])|(${DECIMAL})`, 'g');
const NEAR_MS = 36 * 3_600_000;
const DECIMAL_TOLERANCE = 0.02;

export class Comparison {
  /** Ids of the page → of this run. */
  private readonly actualIds = new Map<string, string>();
  private readonly nowMs: number;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  /** A text of the page as it has to be typed in this run. */
  withActualIds(text: string): string {
    return text.replace(new RegExp(UUID, 'g'), (id) => this.actualIds.get(id) ?? id);
  }

  /** The output in the form of the page. */
  withPageIds(text: string): string {
    const pageIds = new Map([...this.actualIds].map(([page, actual]) => [actual, page]));
    return text.replace(new RegExp(UUID, 'g'), (id) => pageIds.get(id) ?? id);
  }

  /** Whether both are the same except for variable values. New ids are paired from then on. */
  isSame(shown: string, printed: string): boolean {
    const values: string[] = [];
    let pattern = '';
    let from = 0;
    for (const match of printed.matchAll(VARIES)) {
      const shape = this.shapeOf(match);
      if (shape === undefined) continue;
      pattern += `${literal(printed.slice(from, match.index))}(${shape})`;
      from = match.index + match[0].length;
      values.push(match[0]);
    }
    const found = new RegExp(`^${pattern}${literal(printed.slice(from))}$`).exec(shown);
    return found !== null && values.every((value, at) => this.standsFor(found[at + 1] ?? '', value));
  }

  private shapeOf([found, id, time, duration, version, decimal]: RegExpExecArray): string | undefined {
    if (id !== undefined) return UUID;
    if (duration !== undefined) return DURATION;
    if (version !== undefined) return VERSION;
    if (decimal !== undefined) return DECIMAL;
    if (time === undefined) return undefined;
    const atMs = Date.parse(`${found.replace(' ', 'T').replace(/Z?$/, 'Z')}`);
    return Math.abs(atMs - this.nowMs) < NEAR_MS ? TIME : undefined;
  }

  private standsFor(shown: string, printed: string): boolean {
    if (new RegExp(`^${UUID}$`).test(printed)) {
      const known = this.actualIds.get(shown);
      if (known !== undefined) return known === printed;
      this.actualIds.set(shown, printed);
      return true;
    }
    if (!new RegExp(`^${DECIMAL}$`).test(printed)) return true;
    return Math.abs(numberOf(shown) - numberOf(printed)) <= DECIMAL_TOLERANCE;
  }
}

function numberOf(text: string): number {
  return Number(text.replace('−', '-'));
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
