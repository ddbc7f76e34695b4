import type { Micros } from '../../memory/memory.ts';
import { type Frame, type FrameStatement, readFrame, supersedes } from './frames.ts';
import {
  type AskedStems,
  areOfOtherThings,
  denies,
  haveOtherValues,
  namesIn,
  readStatement,
  replacesStatement,
  type Statement,
  stemsOf,
} from './read-statement.ts';
import { readValues, replacesValue, stemWeights, valueQuestion } from './value-updates.ts';

/** Best candidates among which a newer statement replaces an older one. */
const STATEMENTS_COMPARED = 8;
/** Best candidates among which a newer value comes before an older one: none enters or leaves the first ten. */
const VALUES_COMPARED = 10;
/** Lead of a restatement over the statement that it replaces, and the maximum distance from which it is raised. */
const ANEW_LEAD = 0.5;
const ANEW_REACH = 5;
/** Maximum distance from which a fact is raised: short texts without context have low scores. */
const FACT_REACH = 10;

/** Where the candidates' properties are. */
export interface CandidateSource {
  textOf(sequence: number): string;
  eventAtUs(sequence: number): Micros;
  /** -1 where no person is named. */
  speakerOf(sequence: number): number;
  /** Whether the question names its speaker. */
  isByNamed(sequence: number): boolean;
  /** Whether it states since when it holds, as facts do. */
  declaresStart(sequence: number): boolean;
  /** Whether it sums up a conversation whose messages are memories themselves. */
  isSummary(sequence: number): boolean;
}

/** A candidate whose score changes by what is added to its part. */
interface Raised {
  readonly sequence: number;
  /** Without `newer statement`. */
  readonly score: number;
  readonly parts: { 'newer statement': number };
  /** Sequence of the newer statement that takes its place; -1 without one. */
  outdatedBy: number;
  /** States what the question asks for: its least relevance. */
  relevanceMin: number;
}

/** Its lead over every other candidate: recency and importance do not make up for it at their default weights. */
const FRAME_LEAD = 1.01;
/** Relevance of a statement of subject and relation of the question. */
const FRAME_RELEVANCE = 0.5;
/** Asks for the first of all values, not for the one before. */
const AT_FIRST = /\b(?:originally|first|at the beginning)\b/i;

/**
 * The newest statement of subject and relation of the question comes first, whatever its words, and is relevant; where the
 * question asks for how it was, the one before it.
 */
export function putNewestOfFrameFirst(
  frame: Frame,
  { text, state }: { readonly text: string; readonly state: 'current' | 'former' },
  all: readonly Raised[],
  source: CandidateSource,
): void {
  const stated = all
    .flatMap((one) => {
      const { sequence } = one;
      const statement = readFrame(source.textOf(sequence), frame, {
        atUs: source.eventAtUs(sequence),
        speaker: source.speakerOf(sequence),
        isByNamed: source.isByNamed(sequence),
      });
      return statement ? [{ one, statement }] : [];
    })
    .sort((a, b) => b.statement.atUs - a.statement.atUs || b.one.sequence - a.one.sequence);
  if (frame.subject.kind === 'self') keepSpeakerOfBest(stated);
  const present = stated.filter(({ statement }) => !statement.isFormer);
  const current = present.find(({ statement }, at) => isCurrent(statement, present.slice(at + 1), frame));
  const replaced = current
    ? present.filter((older) => present.indexOf(older) > present.indexOf(current) && replaces(current, older, frame))
    : [];
  const former = [...stated.filter(({ statement }) => statement.isFormer), ...replaced];
  const first = state === 'current' ? current : AT_FIRST.test(text) ? former.at(-1) : former[0];
  if (!first) return;
  first.one.relevanceMin = FRAME_RELEVANCE;
  const others = all.filter((one) => one !== first.one).map(scoreOf);
  const gain = Math.max(...others) + FRAME_LEAD - scoreOf(first.one);
  if (others.length > 0 && gain > 0) first.one.parts['newer statement'] += gain;
  if (state === 'current' && current) for (const { one } of replaced) one.outdatedBy = current.one.sequence;
}

interface Stated {
  readonly one: Raised;
  readonly statement: FrameStatement;
}

/** Of statements about the writer those of one: that of the best. */
function keepSpeakerOfBest(stated: Stated[]): void {
  const [best] = [...stated].sort((a, b) => scoreOf(b.one) - scoreOf(a.one));
  const ofOne = stated.filter(({ statement }) => statement.speaker === best?.statement.speaker);
  stated.splice(0, stated.length, ...ofOne);
}

/** A denial holds where it ends what an older statement says; of anything else it says nothing. */
function isCurrent(statement: FrameStatement, older: readonly Stated[], frame: Frame): boolean {
  if (statement.denied === undefined || older.length === 0) return true;
  return older.some((one) => one.statement.denied === undefined && supersedes(statement, one.statement, frame));
}

function replaces({ statement }: Stated, older: Stated, frame: Frame): boolean {
  if (!supersedes(statement, older.statement, frame)) return false;
  return [...older.statement.stems].some((stem) => !statement.stems.has(stem)) || statement.denied !== undefined;
}

function scoreOf({ score, parts }: Raised): number {
  return score + parts['newer statement'];
}

/**
 * A statement that replaces another one comes right before it; where the question asks for how it was, right behind. One
 * that denies another thing than an older or newer one states comes behind it.
 */
export function putNewerFirst(
  question: string,
  state: 'current' | 'former' | undefined,
  all: readonly Raised[],
  source: CandidateSource,
): void {
  const asked: AskedStems = { stems: stemsOf(question), names: namesIn(question), denies: denies(question) };
  const named = all.filter(({ sequence }) =>
    [...asked.names].every((name) => stemsOf(source.textOf(sequence)).has(name)),
  );
  const best = bestOf(named.length > 1 ? named : all, STATEMENTS_COMPARED).map(({ one, score }) => ({
    ...{ one, score },
    statement: statementOf(one, source),
  }));
  // Compares each one with those that it precedes: a replacement may be replaced itself.
  const isFormer = state === 'former';
  const orderOf = (a: (typeof best)[number], b: (typeof best)[number]): number =>
    a.statement.atUs - b.statement.atUs || a.one.sequence - b.one.sequence;
  best.sort((a, b) => orderOf(a, b) * (isFormer ? -1 : 1));
  for (const [at, first] of best.entries()) {
    for (const second of best.slice(0, at)) {
      if (deniesAside(second.statement, first.statement, asked)) raise(first, second.score);
      if (deniesAside(first.statement, second.statement, asked)) raise(second, first.score);
      const [newer, older] = isFormer ? [second, first] : [first, second];
      if (state === undefined && newer.statement.change !== 'stated') continue;
      if (!replacesStatement(newer.statement, older.statement, asked)) continue;
      raise(first, second.score);
      if (isFormer || isSame(newer.statement, older.statement)) continue;
      older.one.outdatedBy = newer.one.sequence;
      if (haveOtherValues(newer.statement, older.statement, asked)) newer.one.relevanceMin = FRAME_RELEVANCE;
    }
  }
}

function isSame(one: Statement, other: Statement): boolean {
  return one.stems.size === other.stems.size && [...one.stems].every((stem) => other.stems.has(stem));
}

/** Whether one denies a thing that is not asked for, and the other states another thing of the same subject. */
function deniesAside(denying: Statement, stating: Statement, { stems, names, denies }: AskedStems): boolean {
  if (denies || !denying.denied || denying.isQuestion || stating.isQuestion) return false;
  if (denying.speaker !== stating.speaker || !areOfOtherThings(denying, stating)) return false;
  const isShared = (stem: string): boolean => denying.stems.has(stem) && stating.stems.has(stem);
  const asked = [...stems];
  return (
    [...names].every((name) => stating.stems.has(name)) &&
    asked.some((stem) => !names.has(stem) && isShared(stem)) &&
    !asked.some((stem) => denying.denied?.has(stem) === true && !stating.stems.has(stem))
  );
}

/** Of texts with different values of the subject of the question, the newest comes first. */
export function putNewerValuesFirst(question: string, all: readonly Raised[], source: CandidateSource): void {
  const asked = valueQuestion(question);
  if (!asked) return;
  const best = bestOf(all, VALUES_COMPARED).map(({ one, score }) => ({
    ...{ one, score },
    reading: readValues(source.textOf(one.sequence), asked, {
      atUs: source.eventAtUs(one.sequence),
      speaker: source.speakerOf(one.sequence),
    }),
  }));
  best.sort((a, b) => a.reading.atUs - b.reading.atUs);
  const readings = best.map(({ reading }) => reading);
  const by = { names: asked.names, weights: stemWeights(asked, readings) };
  for (const [at, newer] of best.entries()) {
    for (const older of best.slice(0, at)) {
      if (replacesValue(newer.reading, older.reading, by)) raise(newer, older.score);
    }
  }
}

/**
 * A fact that holds now and has all words of the question comes before older statements with these words. Candidates
 * that no longer hold are not among them, so the fact is the current value.
 */
export function putCurrentFactsFirst(question: string, all: readonly Raised[], source: CandidateSource): void {
  const stems = stemsOf(question);
  const names = namesIn(question);
  const subject = [...stems].filter((stem) => !names.has(stem));
  if (subject.length === 0 || !all.some(({ sequence }) => source.declaresStart(sequence))) return;
  const best = bestOf(all, all.length).map(({ one, score }) => ({ one, score, ...statementOf(one, source) }));
  const olderOnes = best.slice(0, STATEMENTS_COMPARED);
  for (const fact of best) {
    if (fact.speaker >= 0 || !source.declaresStart(fact.one.sequence)) continue;
    if (fact.stems.size <= stems.size || ![...stems].every((stem) => fact.stems.has(stem))) continue;
    for (const older of olderOnes) {
      if (older.atUs >= fact.atUs || !subject.every((stem) => older.stems.has(stem))) continue;
      raise(fact, older.score, FACT_REACH);
    }
  }
}

/** Best first, with their scores so far. */
function bestOf(all: readonly Raised[], count: number): { readonly one: Raised; score: number }[] {
  return all
    .map((one) => ({ one, score: scoreOf(one) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, count);
}

/** Puts a candidate before another one's score, unless it is before it or too far behind. */
function raise(candidate: { readonly one: Raised; score: number }, over: number, reach = ANEW_REACH): void {
  const gain = over + ANEW_LEAD - candidate.score;
  if (gain <= 0 || gain > ANEW_LEAD + reach) return;
  candidate.one.parts['newer statement'] += gain;
  candidate.score += gain;
}

function statementOf({ sequence }: Raised, source: CandidateSource): Statement {
  return readStatement(source.textOf(sequence), {
    atUs: source.eventAtUs(sequence),
    speaker: source.speakerOf(sequence),
  });
}
