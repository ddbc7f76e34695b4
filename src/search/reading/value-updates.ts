import type { Micros } from '../../memory/memory.ts';
import { CHANGED, namesIn, stemsOf } from './read-statement.ts';

/** Of longer texts the beginning is read. */
const CHARACTERS_READ = 1200;
/** Words before and after a value that say of what it is. */
const WORDS_BEFORE = 12;
const WORDS_AFTER = 8;
/** Share of the older text's weight of common words that the newer text has at least; where it states a change. */
const SHARE_MIN = 0.65;
const CHANGE_SHARE_MIN = 0.15;
const STEMS_MIN = 2;

type ValueKind = 'number' | 'duration' | 'clock' | 'date';

const CLOCK_ASKED = /\bwhat time\b|\bat which time\b/i;
const DATE_ASKED = /\bwhen\b|\b(?:what|which) (?:date|day|month|year)\b|\b(?:deadline|due date)\b/i;
const DURATION_ASKED = /\bhow long\b/i;
const COUNT_ASKED = /\bhow (?:many|much)\b/i;
/** What is counted: the words up to the verb. */
const HOW_MANY =
  /\bhow (?:many|much)\s+((?:[\w'-]+\s+){0,3}?[\w'-]+)(?=\s+(?:is|are|am|do|does|has|have|can|will|should|may|must|of|in|on|for|per)\b|\?|$)/i;
const OF_WHAT =
  /\b(?:what|which)(?:'s| is| are)?\s+((?:[\w'-]+\s+){0,5}?[\w'-]+)(?=\s+(?:is|are|am|do|does|has|have|can|will|should|may|must|of|in|on|at|for|per|to|under|with|from|by|after|before|during|that|allocated|applied|set|needed|required)\b|\?|$)/i;
const MEASURES =
  /\b(?:numbers?|amounts?|totals?|budgets?|prices?|costs?|fees?|rents?|salary|wages?|income|revenue|rates?|percentages?|scores?|averages?|sizes?|limits?|quotas?|targets?|goals?|counts?|lengths?|durations?|distance|weight|height|age|accuracy|versions?|temperature|time|speed|latency|coverage|capacity|balance|deposit|deadline|date)\b/i;

const NUMBER_WORDS =
  'two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|half|dozen';
const MONTHS = 'january|february|march|april|may|june|july|august|september|october|november|december';
const VALUES: Readonly<Record<ValueKind, RegExp>> = {
  number: new RegExp(`\\d(?:[\\d.,:]*\\d)?|\\b(?:${NUMBER_WORDS})\\b`, 'gi'),
  duration: new RegExp(
    `(?:\\d[\\d.,–-]*|\\b(?:${NUMBER_WORDS}|an?)\\b)[ -](?:minutes?|hours?|days?|weeks?|months?|years?)\\b`,
    'gi',
  ),
  clock: /\b\d{1,2}(?:[:.]\d\d)? ?(?:[ap]\.?m\b|o'clock)|\b\d{1,2}:\d\d\b|\b(?:noon|midnight)\b/gi,
  date: new RegExp(
    `\\b(?:${MONTHS}) \\d{1,2}\\b|\\b\\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:${MONTHS})\\b|\\b\\d{1,4}[-/]\\d{1,2}(?:[-/]\\d{1,4})?\\b|\\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\\b`,
    'gi',
  ),
};
/** Words of a change that are too frequent for whole texts. */
const VALUE_CHANGED =
  /\b(?:new|now|extended|shortened|grown|growth|reached|updated?|improved|improvement|revised|adjusted|bumped|pushed|boosted|upgraded|expanded|cut|dropped|risen|rose|up to|down to|rescheduled)\b/i;
/** Where or with whom something is: "in Oslo", "with Ana"; a newer text seldom repeats it. */
const CIRCUMSTANCE = /\b(?:in|at|near|from|with) \p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*)*/gu;
/** Words of a question that name its form, not its subject. */
const FORM = stemsOf(
  'much many long total number amount time date day current currently usually typically approximately average plan take place happen',
);

/** A question for a value that may have changed. */
export interface ValueQuestion {
  readonly kind: ValueKind;
  /** Stems of its subject. */
  readonly stems: ReadonlySet<string>;
  /** Stems of what is counted or measured; empty where the question does not name it. */
  readonly measured: ReadonlySet<string>;
  /** Stems of names; of a question in the first person none, as its answers seldom repeat them. */
  readonly names: ReadonlySet<string>;
}

/** What a text says about the subject of a question. */
export interface ValueReading {
  readonly atUs: Micros;
  /** Number of the speaker; -1 without one. */
  readonly speaker: number;
  /** The question's stems in it. */
  readonly shared: ReadonlySet<string>;
  /** Values of what the question measures. */
  readonly values: ReadonlySet<string>;
  /** It states a change beside such a value or, without one, at all. */
  readonly isChange: boolean;
}

/** Undefined for a question that asks for no number and no time. */
export function valueQuestion(text: string): ValueQuestion | undefined {
  const measure = HOW_MANY.exec(text)?.[1] ?? OF_WHAT.exec(text)?.[1] ?? '';
  const kind = kindOf(text, measure);
  if (kind === undefined) return undefined;
  const stems = withoutForm(text);
  const isFirstPerson = /\b(?:I|my|our|we)\b/.test(text);
  const measured = kind === 'number' || MEASURES.test(measure) ? withoutForm(measure) : new Set<string>();
  return stems.size < STEMS_MIN
    ? undefined
    : { kind, stems, measured, names: isFirstPerson ? new Set() : namesIn(text.replace(CIRCUMSTANCE, '')) };
}

function kindOf(text: string, measure: string): ValueKind | undefined {
  if (CLOCK_ASKED.test(text)) return 'clock';
  if (DATE_ASKED.test(text)) return 'date';
  if (DURATION_ASKED.test(text)) return 'duration';
  return COUNT_ASKED.test(text) || MEASURES.test(measure) ? 'number' : undefined;
}

export function readValues(
  text: string,
  { kind, stems, measured }: ValueQuestion,
  { atUs, speaker }: Pick<ValueReading, 'atUs' | 'speaker'>,
): ValueReading {
  const read = text.slice(0, CHARACTERS_READ);
  const own = stemsOf(read);
  const values = new Set<string>();
  let isChange = false;
  let isChangeWithout = false;
  for (const sentence of read.split(/[.!?;]\s+|\n+/)) {
    isChangeWithout ||= CHANGED.test(sentence) && sharedCount(stemsOf(sentence), stems) >= STEMS_MIN;
    for (const match of sentence.matchAll(VALUES[kind])) {
      const around = wordsAround(sentence, match);
      const near = stemsOf(measured.size > 0 ? around : sentence);
      if (measured.size > 0 && ![...measured].some((stem) => near.has(stem))) continue;
      const isNear = sharedCount(near, stems) >= STEMS_MIN;
      if (measured.size === 0 && !isNear) continue;
      values.add(match[0].toLowerCase());
      isChange ||= isNear && isChanged(around);
    }
  }
  const shared = new Set([...stems].filter((stem) => own.has(stem)));
  return { atUs, speaker, shared, values, isChange: values.size > 0 ? isChange : isChangeWithout };
}

/**
 * Whether the newer text has another value of what the older one has. `weights` are those of the question's stems: a
 * stem that few texts have weighs more.
 */
export function replacesValue(
  newer: ValueReading,
  older: ValueReading,
  { names, weights }: { readonly names: ReadonlySet<string>; readonly weights: ReadonlyMap<string, number> },
): boolean {
  if (newer.atUs <= older.atUs || newer.speaker !== older.speaker) return false;
  if (newer.shared.size < STEMS_MIN || older.shared.size < STEMS_MIN) return false;
  for (const name of names) if (older.shared.has(name) && !newer.shared.has(name)) return false;
  if (newer.values.size === 0 ? !newer.isChange : [...newer.values].every((value) => older.values.has(value)))
    return false;
  const share = weightOf(newer.shared, weights) / weightOf(older.shared, weights);
  return share >= (newer.isChange && newer.values.size > 0 ? CHANGE_SHARE_MIN : SHARE_MIN);
}

/** Weights of a question's stems by how many of the texts have them. */
export function stemWeights({ stems }: ValueQuestion, texts: readonly ValueReading[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const stem of stems) {
    const count = texts.filter(({ shared }) => shared.has(stem)).length;
    weights.set(stem, Math.log(1 + texts.length / (1 + count)));
  }
  return weights;
}

function weightOf(stems: ReadonlySet<string>, weights: ReadonlyMap<string, number>): number {
  return [...stems].reduce((sum, stem) => sum + (weights.get(stem) ?? 0), 0);
}

function sharedCount(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return [...one].filter((stem) => other.has(stem)).length;
}

function isChanged(text: string): boolean {
  return CHANGED.test(text) || VALUE_CHANGED.test(text);
}

function wordsAround(sentence: string, { 0: value, index }: RegExpExecArray): string {
  const before = sentence
    .slice(0, index)
    .split(/\s+/)
    .slice(-WORDS_BEFORE - 1);
  const after = sentence
    .slice(index + value.length)
    .split(/\s+/)
    .slice(0, WORDS_AFTER + 1);
  return `${before.join(' ')} ${after.join(' ')}`;
}

function withoutForm(text: string): ReadonlySet<string> {
  return new Set([...stemsOf(text)].filter((stem) => !FORM.has(stem)));
}
