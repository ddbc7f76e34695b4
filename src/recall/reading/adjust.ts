import type { Micros } from '../../memory/memory.ts';
import type { TimeSpan } from '../../memory/time/calendar.ts';
import { wordsOf } from '../../memory/words.ts';
import { countOfParts, datePartsOf } from '../ranking/date-parts.ts';
import { isNegated, particleOf, type QuestionReading, readQuestion, spanBeside } from './question-reading.ts';
import {
  type AskedStems,
  isQuestion,
  namesIn,
  readStatement,
  type Statement,
  saysAnew,
  stemsOf,
} from './read-statement.ts';
import { isWithin, timeFit } from './time-fit.ts';

/** Best candidates whose texts are read, beside those of the time that is asked for. */
const CANDIDATES_READ = 24;
/** Best candidates among which a newer statement takes the place of an older one. */
const STATEMENTS_COMPARED = 8;

/** What the parts count for, in units of the learned score. */
const TIME_WEIGHT = 3;
/** The ranker itself looks at days, months and years that are named. */
const DATE_WEIGHT = 1.5;
/** Where the question names a time and nothing else: by how much what fits comes before all that does not, and what remains of the order. */
const TIME_ALONE_LEAD = 3;
const TIME_ALONE_ORDER = 0.1;
const QUESTION_PENALTY = 1.5;
const NEGATION_WEIGHT = 1;
const PARTICLE_WEIGHT = 1;
/** By how much what is said anew comes before what it replaces, and from how far behind it may come. */
const ANEW_LEAD = 0.5;
const ANEW_REACH = 5;

/** A candidate as the learned order has it. */
export interface ReadCandidate {
  readonly sequence: number;
  readonly score: number;
  /** It is one question and nothing else, and nothing that has its words is known to answer it. */
  readonly isOpenQuestion: boolean;
}

/** Where the candidates' properties are. */
export interface CandidateSource {
  textOf(sequence: number): string;
  eventAtUs(sequence: number): Micros;
  /** -1 for nobody. */
  speakerOf(sequence: number): number;
}

export const ADJUSTMENT_PARTS = ['asked time', 'newer statement', 'only asks', 'negation', 'on or off'] as const;

export type AdjustmentPart = (typeof ADJUSTMENT_PARTS)[number];

/** What was added to a candidate's score. */
export interface Adjustment {
  readonly total: number;
  /**
   * `asked time`: it is of the time that the question names. `newer statement`: it says anew what another one said
   * before; the older one, where that is asked for. `only asks`: it is a question, less than 0. `negation`: it says that
   * something is not so, as the question asks. `on or off`: it has the question's last word, such as on, off, up or down;
   * less than 0 for the opposite.
   */
  readonly parts: Readonly<Record<AdjustmentPart, number>>;
}

export interface ReadQuestion {
  readonly text: string;
  readonly nowUs: Micros;
}

interface Adjusted extends ReadCandidate {
  readonly parts: Record<AdjustmentPart, number>;
}

/**
 * What a question says beyond its words, as differences of the candidates' scores: of time, of how things are now or were
 * before, and that it wants an answer. `candidates` are best first. Those whose score stays are not told of.
 */
export function adjustmentsOf(
  question: ReadQuestion,
  candidates: readonly ReadCandidate[],
  source: CandidateSource,
): ReadonlyMap<number, Adjustment> {
  const reading = readQuestion(question.text, question.nowUs);
  const spans = spansOf(reading, candidates.slice(0, CANDIDATES_READ), source);
  const read = candidates.filter(
    ({ sequence }, place) => place < CANDIDATES_READ || isWithin(spans, source.eventAtUs(sequence)),
  );
  const particle = particleOf(question.text);
  const best = read[0]?.score ?? 0;
  const timeWeight = countOfParts(datePartsOf(wordsOf(question.text))) > 0 ? DATE_WEIGHT : TIME_WEIGHT;
  const all = read.map(({ sequence, score, isOpenQuestion }): Adjusted => {
    const fit = spans.length === 0 ? 0 : timeFit(spans, source.textOf(sequence), source.eventAtUs(sequence));
    const alone = (1 - TIME_ALONE_ORDER) * (best - score) + TIME_ALONE_LEAD;
    const parts = {
      'asked time': fit * (reading.isOnlyTime ? alone : timeWeight),
      'newer statement': 0,
      'only asks': isOpenQuestion ? -QUESTION_PENALTY : 0,
      negation: reading.isNegated && isNegated(source.textOf(sequence)) ? NEGATION_WEIGHT : 0,
      'on or off': particle ? PARTICLE_WEIGHT * particleFit(particle, source.textOf(sequence)) : 0,
    };
    return { sequence, isOpenQuestion, score: score + totalOf(parts), parts };
  });
  putNewerFirst(question.text, reading.state, all, source);
  const adjustments = all.map(({ sequence, parts }) => [sequence, { total: totalOf(parts), parts }] as const);
  return new Map(adjustments.filter(([, { total }]) => total !== 0));
}

/** 1 for a text with the word, -1 for one with the opposite, 0 for neither and for both. */
function particleFit({ word, opposite }: { readonly word: string; readonly opposite: string }, text: string): number {
  const words = wordsOf(text);
  return Number(words.includes(word)) - Number(words.includes(opposite));
}

/** The times that a question asks for; `candidates` are those among which an event may be told of. */
export function timesAsked(
  question: ReadQuestion,
  candidates: readonly ReadCandidate[],
  source: CandidateSource,
): readonly TimeSpan[] {
  return spansOf(readQuestion(question.text, question.nowUs), candidates, source);
}

function totalOf(parts: Adjusted['parts']): number {
  return ADJUSTMENT_PARTS.reduce((sum, part) => sum + parts[part], 0);
}

/** A statement that replaces another one comes right before it; where the question asks for how it was, right behind. */
function putNewerFirst(
  question: string,
  state: QuestionReading['state'],
  all: readonly Adjusted[],
  source: CandidateSource,
): void {
  const asked: AskedStems = { stems: stemsOf(question), names: namesIn(question) };
  const best = all
    .toSorted((a, b) => b.score - a.score)
    .slice(0, STATEMENTS_COMPARED)
    .map((one) => ({ one, score: one.score, statement: statementOf(one, source) }));
  // Each one is compared with those that it comes before: what replaces something may be replaced itself.
  const isFormer = state === 'former';
  best.sort((a, b) => (a.statement.atUs - b.statement.atUs) * (isFormer ? -1 : 1));
  for (const [at, first] of best.entries()) {
    for (const second of best.slice(0, at)) {
      const [newer, older] = isFormer ? [second, first] : [first, second];
      if (state === undefined && newer.statement.change !== 'told') continue;
      if (!saysAnew(newer.statement, older.statement, asked)) continue;
      const gain = second.score + ANEW_LEAD - first.score;
      if (gain <= 0 || gain > ANEW_LEAD + ANEW_REACH) continue;
      first.one.parts['newer statement'] += gain;
      first.score += gain;
    }
  }
}

function statementOf({ sequence }: Adjusted, source: CandidateSource): Statement {
  return readStatement(source.textOf(sequence), {
    atUs: source.eventAtUs(sequence),
    speaker: source.speakerOf(sequence),
  });
}

/** The times that are asked for; beside an event: counted from the memory that tells of it. */
function spansOf(
  { spans, beside, isOnlyTime }: QuestionReading,
  candidates: readonly ReadCandidate[],
  source: CandidateSource,
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
  return eventAtUs === undefined ? spans : [...spans, spanBeside(beside, eventAtUs)];
}

/** Share of an event's words that must be there, and what it counts for that they come early. */
const EVENT_SHARE_MIN = 0.5;
const EARLY_SHARE = 0.1;

/** How much a text tells of an event, 0 for not at all: it has the event's words, best as what it begins with. */
function tellsOf(event: readonly string[], text: string): number {
  const stems = [...stemsOf(text)];
  const places = event.map((stem) => stems.indexOf(stem)).filter((place) => place >= 0);
  const share = places.length / event.length;
  if (share <= EVENT_SHARE_MIN) return 0;
  return share + EARLY_SHARE * (1 - Math.min(...places) / stems.length);
}
