import type { Micros } from '../../memory/memory.ts';
import { between, DAY_US, periodAt, shifted, type TimeSpan, type Unit } from '../../memory/time/calendar.ts';
import { countOf, timesNamedIn, withoutTimes } from '../../memory/time/time-expressions.ts';
import { inZone, UTC, type Zone } from '../../memory/time/zone.ts';
import { STOP_WORDS, stemOf, wordsOf } from '../../memory/words.ts';
import { countOfParts, datePartsOf } from '../ranking/text-agreement.ts';
import type { Frame } from './frames.ts';
import {
  type CandidateSource,
  putCurrentFactsFirst,
  putNewerFirst,
  putNewerValuesFirst,
  putNewestOfFrameFirst,
} from './newer-first.ts';
import { isQuestion, stemsOf } from './read-statement.ts';

/** Best candidates whose texts are read, in addition to those of the requested time. */
const CANDIDATES_READ = 24;

/** Weights of the parts, in units of the learned score. */
const TIME_WEIGHT = 3;
/** The ranker itself looks at days, months and years that are named. */
const DATE_WEIGHT = 1.5;
/**
 * Where the question names only a time: the lead of matching memories over all others, and the remaining weight of the
 * order.
 */
const TIME_ALONE_LEAD = 3;
const TIME_ALONE_ORDER = 0.1;
const QUESTION_PENALTY = 1.5;
const NEGATION_WEIGHT = 1;
const PARTICLE_WEIGHT = 1;
/**
 * Puts the summary of a conversation behind messages that answer as well: they say the same in their own words, and it
 * must not take their places.
 */
const SUMMARY_PENALTY = 4;

/** A candidate as the learned order has it. */
export interface ReadCandidate {
  readonly sequence: number;
  readonly score: number;
  /** The whole text is one question, and no memory with its words is known to answer it. */
  readonly isOpenQuestion: boolean;
}

export const ADJUSTMENT_PARTS = [
  'asked time',
  'newer statement',
  'only asks',
  'negation',
  'on or off',
  'summary',
  'verbatim',
  'further step',
] as const;

export type AdjustmentPart = (typeof ADJUSTMENT_PARTS)[number];

const NO_PARTS: Readonly<Record<AdjustmentPart, number>> = {
  'asked time': 0,
  'newer statement': 0,
  'only asks': 0,
  negation: 0,
  'on or off': 0,
  summary: 0,
  verbatim: 0,
  'further step': 0,
};

/** The adjustment of a candidate's score. */
export interface Adjustment {
  readonly total: number;
  /**
   * `asked time`: it is of the time that the question names. `newer statement`: it restates what an earlier one stated,
   * or is the fact that holds now; the older one, where the question asks for that. `only asks`: it is a question, less
   * than 0. `negation`: it states that something is not so, as the question asks. `on or off`: it has the question's
   * last word, such as on, off, up or down; less than 0 for the opposite. `summary`: it sums up a conversation whose
   * messages are memories themselves, less than 0. `verbatim`: it has the text word for word. `further step`: it answers
   * the question with a name in place of a description.
   */
  readonly parts: Readonly<Record<AdjustmentPart, number>>;
  /** Sequence of the newer statement that takes its place; -1 without one. */
  readonly outdatedBy: number;
  /** Its least relevance. */
  readonly relevanceMin: number;
}

export const NO_ADJUSTMENT: Adjustment = { total: 0, parts: NO_PARTS, outdatedBy: -1, relevanceMin: 0 };

export interface ReadQuestion {
  readonly text: string;
  readonly nowUs: Micros;
  /** The zone of the times that it and the texts name. Default: UTC. */
  readonly zone?: Zone;
  /** Subject and relation that it asks for, and candidates that may state it. */
  readonly framed?: { readonly frame: Frame; readonly sequences: ReadonlySet<number> };
}

interface Adjusted extends ReadCandidate {
  readonly parts: Record<AdjustmentPart, number>;
  outdatedBy: number;
  relevanceMin: number;
}

/**
 * Adjustments of the candidates' scores for parts of a question other than its words: its time, whether it asks for the
 * present or the former state, and that it expects an answer. `candidates` are best first. Candidates without an
 * adjustment are not reported.
 */
export function adjustmentsOf(
  question: ReadQuestion,
  candidates: readonly ReadCandidate[],
  source: CandidateSource,
): ReadonlyMap<number, Adjustment> {
  const { zone = UTC } = question;
  const reading = readQuestion(question);
  const spans = spansOf(reading, candidates.slice(0, CANDIDATES_READ), source, zone);
  const read = candidates.filter(
    ({ sequence }, place) =>
      place < CANDIDATES_READ ||
      isWithin(spans, source.eventAtUs(sequence)) ||
      source.isSummary(sequence) ||
      question.framed?.sequences.has(sequence) === true,
  );
  const particle = particleOf(question.text);
  const best = read[0]?.score ?? 0;
  const timeWeight = countOfParts(datePartsOf(wordsOf(question.text))) > 0 ? DATE_WEIGHT : TIME_WEIGHT;
  const all = read.map(({ sequence, score, isOpenQuestion }): Adjusted => {
    const fit = spans.length === 0 ? 0 : timeFit(spans, source.textOf(sequence), source.eventAtUs(sequence), zone);
    const alone = (1 - TIME_ALONE_ORDER) * (best - score) + TIME_ALONE_LEAD;
    const parts = {
      ...NO_PARTS,
      'asked time': fit * (reading.isOnlyTime ? alone : timeWeight),
      'only asks': isOpenQuestion ? -QUESTION_PENALTY : 0,
      negation: reading.isNegated && isNegated(source.textOf(sequence)) ? NEGATION_WEIGHT : 0,
      'on or off': particle ? PARTICLE_WEIGHT * particleFit(particle, source.textOf(sequence)) : 0,
      summary: source.isSummary(sequence) ? -SUMMARY_PENALTY : 0,
    };
    return { sequence, isOpenQuestion, score: score + totalOf(parts), parts, outdatedBy: -1, relevanceMin: 0 };
  });
  const stated = all.filter(({ sequence }) => !source.isSummary(sequence));
  putNewerFirst(question.text, reading.state, stated, source);
  if (reading.state !== 'former' && !PAST.test(question.text)) putNewerValuesFirst(question.text, stated, source);
  const { state } = reading;
  if (question.framed && state && !reading.isNegated) {
    putNewestOfFrameFirst(question.framed.frame, { text: question.text, state }, stated, source);
  }
  if (state === 'current') putCurrentFactsFirst(question.text, stated, source);
  const adjustments = all.map(({ sequence, parts, outdatedBy, relevanceMin }) => {
    return [sequence, { total: totalOf(parts), parts, outdatedBy, relevanceMin }] as const;
  });
  return new Map(
    adjustments.filter(([, { total, outdatedBy, relevanceMin }]) => total !== 0 || outdatedBy >= 0 || relevanceMin > 0),
  );
}

/** 1 for a text with the word, -1 for one with the opposite, 0 for neither and for both. */
function particleFit({ word, opposite }: { readonly word: string; readonly opposite: string }, text: string): number {
  const words = wordsOf(text);
  return Number(words.includes(word)) - Number(words.includes(opposite));
}

/** The times that a question asks for; `candidates` are memories that may mention an event. */
export function timesAsked(
  question: ReadQuestion,
  candidates: readonly ReadCandidate[],
  source: Pick<CandidateSource, 'textOf' | 'eventAtUs'>,
): readonly TimeSpan[] {
  return spansOf(readQuestion(question), candidates, source, question.zone ?? UTC);
}

function totalOf(parts: Adjusted['parts']): number {
  return ADJUSTMENT_PARTS.reduce((sum, part) => sum + parts[part], 0);
}

/** The requested times; relative to an event: counted from the memory that mentions it. */
function spansOf(
  { spans, beside, isOnlyTime }: QuestionReading,
  candidates: readonly ReadCandidate[],
  source: Pick<CandidateSource, 'textOf' | 'eventAtUs'>,
  zone: Zone,
): readonly TimeSpan[] {
  if (!beside || (!beside.distance && !isOnlyTime)) return spans;
  let best = 0;
  let eventAtUs: Micros | undefined;
  for (const { sequence } of candidates) {
    const text = source.textOf(sequence);
    const likeness = isQuestion(text) ? 0 : tellsOf(beside.event, text);
    if (likeness <= best) continue;
    best = likeness;
    eventAtUs = source.eventAtUs(sequence);
  }
  return eventAtUs === undefined ? spans : [...spans, inZone(zone, spanNear(beside, zone.wallUs(eventAtUs)))];
}

/** Minimum share of an event's words in a text, and the weight of their early occurrence. */
const EVENT_SHARE_MIN = 0.5;
const EARLY_SHARE = 0.1;

/** How much a text is about an event, 0 for not at all: it has the event's words, ideally at its beginning. */
function tellsOf(event: readonly string[], text: string): number {
  const stems = [...stemsOf(text)];
  const places = event.map((stem) => stems.indexOf(stem)).filter((place) => place >= 0);
  const share = places.length / event.length;
  if (share <= EVENT_SHARE_MIN) return 0;
  return share + EARLY_SHARE * (1 - Math.min(...places) / stems.length);
}

/** The time references of a question, apart from the words that are searched. */
interface QuestionReading {
  /** Times that it names, as they are meant at its own time. */
  readonly spans: readonly TimeSpan[];
  /** Time relative to an event that a memory mentions: "the week before the wedding". */
  readonly beside: RelativeEvent | undefined;
  /** The question consists of times only: "What did I do yesterday?" */
  readonly isOnlyTime: boolean;
  /** Whether it asks for the current or the former state; undefined: neither. */
  readonly state: 'current' | 'former' | undefined;
  /** Asks for a negated statement. */
  readonly isNegated: boolean;
}

export interface RelativeEvent {
  readonly side: 'before' | 'after';
  /** The distance in whole units; absent where the question does not state one. */
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
  /^\W*(?:(?:and|so|but|hey|ok|please)\W+)?(?:(?:(?:on|at|in|to|for|from|with|by) )?(?:who|what|where|which|how|when|why|whose)(?:'s|\b[^?]*?\b(?:is|are|am|do|does|has|have|can|will|lives?|works?|leads?|owns?|runs?|costs?)\b)|(?:who|what|(?:which|what|whose) [a-z]+) [a-z]+[a-rt-z]s\b|(?:is|are|am|do|does|has|have|can|will|isn't|aren't|doesn't|don't)\b)/i;
const PAST = /\b(did|was|were|had|ago|yesterday)\b/i;
/** Words that may remain in a question that asks only for events. */
const EMPTY_VERBS: ReadonlySet<string> = new Set(
  'do did done happen happened happening happens go went going goes take took place anything something everything plan plans planned up event events new time'.split(
    ' ',
  ),
);

export function readQuestion({ text, nowUs, zone }: ReadQuestion): QuestionReading {
  const beside = relativeEventOf(text);
  const spans = timesNamedIn(text, nowUs, zone);
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

/** A particle at the end of the question (on, off, up, down, in or out), and its opposite: stop words of the search. */
function particleOf(text: string): { readonly word: string; readonly opposite: string } | undefined {
  const word = /\b(?:is|are|'s|was|were)\b.*\b(on|off|up|down|in|out)\W*$/i.exec(text)?.[1]?.toLowerCase();
  const opposite = word && PARTICLES[word];
  return word && opposite ? { word, opposite } : undefined;
}

/** Whether it states that something is not so, or not liked. */
function isNegated(text: string): boolean {
  return NEGATION.test(text);
}

function stateOf(text: string): QuestionReading['state'] {
  if (FORMER.test(text) || BEFORE_NAME.test(text)) return 'former';
  if (CURRENT.test(text)) return 'current';
  return PRESENT.test(text) && !PAST.test(text) ? 'current' : undefined;
}

function relativeEventOf(text: string): RelativeEvent | undefined {
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

/** Where the event's distance is not stated, times within this many days count as near it. */
const BESIDE_DAYS = 30;

/** The wall times that are meant when the event was at that wall time. */
export function spanNear({ side, distance }: RelativeEvent, eventAtUs: Micros): TimeSpan {
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

/** Fit of a memory that was made in the requested time but is about another one. */
const MADE_THEN = 0.4;
/** Fit of a memory that names a longer period around the requested time. */
const SOMEWHERE = 0.5;

/**
 * How well a memory fits the times that are asked for, 0 to 1: the times that its text names, as they were meant when
 * it was made ("yesterday"), or else that time itself.
 */
export function timeFit(asked: readonly TimeSpan[], text: string, eventAtUs: Micros, zone: Zone = UTC): number {
  if (asked.length === 0) return 0;
  const isMadeThen = isWithin(asked, eventAtUs);
  const named = timesNamedIn(text, eventAtUs, zone);
  if (named.length === 0) return isMadeThen ? 1 : 0;
  let best = isMadeThen ? MADE_THEN : 0;
  for (const span of named) for (const one of asked) best = Math.max(best, overlap(one, span));
  return best;
}

export function isWithin(spans: readonly TimeSpan[], atUs: Micros): boolean {
  return spans.some(({ fromUs, untilUs }) => fromUs <= atUs && atUs < untilUs);
}

function overlap(asked: TimeSpan, named: TimeSpan): number {
  const sharedUs = Math.min(asked.untilUs, named.untilUs) - Math.max(asked.fromUs, named.fromUs);
  if (sharedUs <= 0) return 0;
  const namedUs = named.untilUs - named.fromUs;
  const askedUs = asked.untilUs - asked.fromUs;
  return namedUs <= askedUs ? sharedUs / namedUs : SOMEWHERE + ((1 - SOMEWHERE) * sharedUs) / namedUs;
}
