import type { Micros } from '../../memory/memory.ts';
import {
  type AskedStems,
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
}

/** A statement that replaces another one comes right before it; where the question asks for how it was, right behind. */
export function putNewerFirst(
  question: string,
  state: 'current' | 'former' | undefined,
  all: readonly Raised[],
  source: CandidateSource,
): void {
  const asked: AskedStems = { stems: stemsOf(question), names: namesIn(question) };
  const best = bestOf(all, STATEMENTS_COMPARED).map(({ one, score }) => ({
    ...{ one, score },
    statement: statementOf(one, source),
  }));
  // Compares each one with those that it precedes: a replacement may be replaced itself.
  const isFormer = state === 'former';
  best.sort((a, b) => (a.statement.atUs - b.statement.atUs) * (isFormer ? -1 : 1));
  for (const [at, first] of best.entries()) {
    for (const second of best.slice(0, at)) {
      const [newer, older] = isFormer ? [second, first] : [first, second];
      if (state === undefined && newer.statement.change !== 'stated') continue;
      if (replacesStatement(newer.statement, older.statement, asked)) raise(first, second.score);
    }
  }
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
  if (subject.length === 0) return;
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
    .map((one) => ({ one, score: one.score + one.parts['newer statement'] }))
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
