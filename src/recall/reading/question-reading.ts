import type { Micros } from '../../memory/memory.ts';
import { between, DAY_US, periodAt, shifted, type TimeSpan, type Unit } from '../../memory/time/calendar.ts';
import { countOf, timesNamedIn, withoutTimes } from '../../memory/time/time-expressions.ts';
import { STOP_WORDS, stemOf, wordsOf } from '../../memory/words.ts';

/** What a question says of time, beyond the words that are looked for. */
export interface QuestionReading {
  /** Times that it names, as they are meant at its own time. */
  readonly spans: readonly TimeSpan[];
  /** Time beside an event that a memory tells of: "the week before the wedding". */
  readonly beside: BesideEvent | undefined;
  /** The times are all it says: "What did I do yesterday?" */
  readonly isOnlyTime: boolean;
  /** Whether it asks for how things are, or for how they were before; undefined: neither is said. */
  readonly state: 'current' | 'former' | undefined;
  /** Asks for what is not so. */
  readonly isNegated: boolean;
}

export interface BesideEvent {
  readonly side: 'before' | 'after';
  /** How far: that many whole units; absent where the question does not say. */
  readonly distance: { readonly count: number; readonly unit: Unit } | undefined;
  /** Stems of the event's words. */
  readonly event: readonly string[];
}

const BESIDE =
  /\b(?:(?:on |in )?(?:the|a|an|one|(\d{1,2}|two|three|four|five|six|seven|eight|nine|ten)) (day|night|evening|morning|week|month|year)s? |right |just |shortly |soon |long )?(before|after) ((?:the|my|our|his|her|their|your|that|this|i|we|he|she|they)\b.{2,60}?)[?.!]*$/i;
const FORMER =
  /\b(used to|previous(ly)?|former(ly)?|originally|in the past|back then|(the|my|our|his|her|their|\w+'s) old (\w+ )?(address|job|number|phone|code|password|flat|apartment|house|home|doctor|boss|car|name|plan|price|rent|school|company))\b|\bbefore( that)?\W*$/i;
/** "Who was my teacher before Mr Ito?" */
const BEFORE_NAME = /\bbefore \p{Lu}\p{L}/u;
const CURRENT =
  /\b(now|nowadays|still|currently|current|at the moment|these days|any ?more|any longer|latest|newest|most recent)\b/i;
const PRESENT =
  /^\W*(?:(?:and|so|but|hey|ok|please)\W+)?(?:(?:who|what|where|which|how|when|why|whose)(?:'s|\b[^?]*?\b(?:is|are|am|do|does|has|have|can|will|lives?|works?|leads?|owns?|runs?|costs?)\b)|(?:is|are|am|do|does|has|have|can|will|isn't|aren't|doesn't|don't)\b)/i;
const PAST = /\b(did|was|were|had|ago|yesterday)\b/i;
/** What is left of a question that asks for nothing but what happened. */
const EMPTY_VERBS: ReadonlySet<string> = new Set(
  'do did done happen happened happening happens go went going goes take took place anything something everything plan plans planned up event events new time'.split(
    ' ',
  ),
);

export function readQuestion(text: string, nowUs: Micros): QuestionReading {
  const beside = besideOf(text);
  const spans = timesNamedIn(text, nowUs);
  const rest = wordsOf(withoutTimes(text.replace(BESIDE, ' '))).filter((word) => !STOP_WORDS.has(word));
  const isOnlyTime = (spans.length > 0 || beside !== undefined) && rest.every((word) => EMPTY_VERBS.has(word));
  return {
    spans,
    beside,
    isOnlyTime,
    state: spans.length > 0 || beside ? undefined : stateOf(text),
    isNegated: isNegated(text),
  };
}

const NEGATION =
  /\b(not|never|no|nobody|nothing|none|cannot|without|unable|neither|nor|avoids?|hates?|dislikes?|can't stand|refuses?|allerg\w+|intoleran\w+)\b|n['’]t\b/i;

const PARTICLES: Readonly<Record<string, string>> = {
  on: 'off',
  off: 'on',
  up: 'down',
  down: 'up',
  in: 'out',
  out: 'in',
};

/** What something is that is on, off, up, down, in or out at the end of the question, and the opposite: no words that are searched for. */
export function particleOf(text: string): { readonly word: string; readonly opposite: string } | undefined {
  const word = /\b(?:is|are|'s|was|were)\b.*\b(on|off|up|down|in|out)\W*$/i.exec(text)?.[1]?.toLowerCase();
  const opposite = word && PARTICLES[word];
  return word && opposite ? { word, opposite } : undefined;
}

/** Says that something is not so, or not liked. */
export function isNegated(text: string): boolean {
  return NEGATION.test(text);
}

function stateOf(text: string): QuestionReading['state'] {
  if (FORMER.test(text) || BEFORE_NAME.test(text)) return 'former';
  if (CURRENT.test(text)) return 'current';
  return PRESENT.test(text) && !PAST.test(text) ? 'current' : undefined;
}

function besideOf(text: string): BesideEvent | undefined {
  const match = BESIDE.exec(text);
  if (!match) return undefined;
  const [, count, unit, side, event = ''] = match;
  const stems = wordsOf(withoutTimes(event)).flatMap((word) => (STOP_WORDS.has(word) ? [] : [stemOf(word)]));
  if (stems.length === 0) return undefined;
  const isPartOfDay = unit !== undefined && /night|evening|morning/i.test(unit);
  return {
    side: side?.toLowerCase() === 'after' ? 'after' : 'before',
    distance:
      unit === undefined
        ? undefined
        : { count: countOf(count?.toLowerCase() ?? 'one'), unit: isPartOfDay ? 'day' : (unit.toLowerCase() as Unit) },
    event: stems,
  };
}

/** Where the event's distance is not said, what is this near counts as beside it. */
const BESIDE_DAYS = 30;

/** The time that is meant when the event was at that instant. */
export function spanBeside({ side, distance }: BesideEvent, eventAtUs: Micros): TimeSpan {
  const day = periodAt('day', eventAtUs);
  if (!distance) {
    const reachUs = BESIDE_DAYS * DAY_US;
    return side === 'before' ? between(day.fromUs - reachUs, day.fromUs) : between(day.untilUs, day.untilUs + reachUs);
  }
  const { count, unit } = distance;
  if (unit === 'day') return periodAt('day', eventAtUs, side === 'before' ? -count : count);
  if (side === 'before') {
    return between(shifted(day.fromUs, unit, -count), shifted(day.fromUs, unit, 1 - count));
  }
  return between(shifted(day.untilUs, unit, count - 1), shifted(day.untilUs, unit, count));
}
