import { timeFit, timesAsked } from '../reading/adjust.ts';
import type { NamespaceColumns } from '../recall/namespace-columns.ts';
import type { AskedTexts } from './asked-texts.ts';
import type { Asked } from './question.ts';
import { NEGATES, TELLS_NUMBER, TELLS_PREFERENCE } from './ranked-memories.ts';
import { type Agreement, agreementOf } from './text-agreement.ts';

/** A candidate as the trees and the encoder leave it. */
export interface Judged {
  readonly sequence: number;
  /** Score of the trees. */
  readonly score: number;
  readonly cosine: number;
  /** Share of the question's weight that the memory matches softly and that it also has as exact tokens. */
  readonly coverage: number;
  readonly exactShare: number;
  /** The same weighted by the rarity of words in English, and the heaviest missing word; see `TokenMatch`. */
  readonly covered: number;
  readonly missed: number;
}

/** The features of relevance, in the order of the rows. */
export const RELEVANCE_FEATURES = [
  'trees',
  'meaning',
  'coverage',
  'exact',
  'asks',
  'speaker',
  'number',
  'preference',
  'negation',
  'time',
  'query tokens',
  'length',
  'covered',
  'missed',
  'named',
  'kind',
  'phrase',
  'short match',
  'unknown names',
  'unsaid',
] as const;

/** Tokens beyond which a memory is just long. */
const LENGTH_MAX = 12;
/**
 * Short memories share words with a question by chance; long ones because they are about the same subject. Below some
 * six tokens all are equally short: three words may be the complete answer. A cue without a question is answered by any
 * memory with its words.
 */
const SHORTNESS_MAX = 0.3;
/** Deduction for a memory that only asks, where the cue is a list of words. */
const KEYWORDS_ASK = 0.07;
/** Best candidates whose texts are read for times. */
const READ_MAX = 24;
/** The same where the order does not depend on the texts. */
const READ_OF_MANY = 12;
const MANY = 200;
/** From here on a memory is of a time. */
const FIT_MIN = 0.5;
/** Weight of a cosine relative to the trees in choosing the best. */
const MEANING_SHARE = 12;
export interface RelevanceCue {
  readonly asked: Asked;
  readonly texts: AskedTexts;
  readonly columns: NamespaceColumns;
  readonly queryTokens: number;
  readonly unsaid: Unsaid;
}

/** The parts of a question that occur nowhere in the namespace. */
export interface Unsaid {
  /** Share of the names in it that no person of the namespace has and no text mentions; -1 without names. */
  readonly names: number;
  /** Share of the other words, by how rare they are in English. */
  readonly words: number;
}

/** Rows of features, one a candidate. */
export function relevanceRows(candidates: readonly Judged[], cue: RelevanceCue): Float32Array {
  const width = RELEVANCE_FEATURES.length;
  const rows = new Float32Array(candidates.length * width);
  const { asked, texts, columns } = cue;
  const traits = cueTraitsOf(asked.text);
  const best = bestOf(candidates, columns.size > MANY ? READ_OF_MANY : READ_MAX);
  const times = timesOf(best, cue);
  const agreements = agreementsOf(best, cue);
  const { unsaid } = cue;
  candidates.forEach(({ sequence, score, cosine, coverage, exactShare, covered, missed }, at) => {
    const length = Math.log(1 + Math.min(LENGTH_MAX, texts.tokensOf(sequence).length));
    const { named, kind, phrase } = agreements.get(sequence) ?? UNREAD;
    const bits = texts.traitsOf(sequence);
    const tells = (bit: number) => ((bits & bit) === 0 ? -1 : 1);
    rows.set(
      [
        score,
        cosine,
        coverage,
        exactShare,
        texts.isQuestion(sequence) ? (traits.asks ? 1 : KEYWORDS_ASK) : 0,
        asked.named.size === 0 ? 0 : asked.named.has(columns.speakerOf(sequence)) ? 1 : -1,
        Number(traits.asksNumber) * tells(TELLS_NUMBER),
        Number(traits.asksPreference) * tells(TELLS_PREFERENCE),
        Number(traits.negates) * tells(NEGATES),
        times?.get(sequence) ?? (times ? -1 : 0),
        Math.log(1 + cue.queryTokens),
        length,
        covered,
        missed,
        named,
        kind,
        phrase,
        traits.asks ? covered * Math.min(SHORTNESS_MAX, 1 - length / Math.log(1 + LENGTH_MAX)) : 0,
        unsaid.names,
        unsaid.words,
      ],
      at * width,
    );
  });
  return rows;
}

const UNREAD: Agreement = { named: 0, kind: 0, phrase: 0 };

function bestOf(candidates: readonly Judged[], count: number): readonly Judged[] {
  const weightOf = ({ score, cosine }: Judged) => score + MEANING_SHARE * cosine;
  return candidates.toSorted((a, b) => weightOf(b) - weightOf(a)).slice(0, count);
}

function agreementsOf(best: readonly Judged[], { asked, columns }: RelevanceCue): Map<number, Agreement> {
  const { textOf = () => '', agreement } = asked;
  return new Map(
    best.map(({ sequence }) => [
      sequence,
      agreementOf(agreement, textOf(sequence), columns.speakers.nameOf(columns.speakerOf(sequence))),
    ]),
  );
}

/** 1 for each of the best candidates that is of the time asked for; `undefined` where none is. */
function timesOf(judged: readonly Judged[], { asked, texts, columns }: RelevanceCue): Map<number, 1> | undefined {
  const best = judged.map(({ sequence, score }) => ({ sequence, score, isOpenQuestion: texts.isQuestion(sequence) }));
  const { textOf = () => '' } = asked;
  const source = { textOf, eventAtUs: (sequence: number) => columns.eventAtUs(sequence) };
  const spans = timesAsked(asked, best, source);
  if (spans.length === 0) return undefined;
  const fit = best.filter(
    ({ sequence }) => timeFit(spans, textOf(sequence), columns.eventAtUs(sequence), asked.zone) >= FIT_MIN,
  );
  return new Map(fit.map(({ sequence }) => [sequence, 1]));
}

/** The kind of answer that a cue asks for, judged by its words; in English. */
export interface CueTraits {
  readonly asks: boolean;
  readonly asksNumber: boolean;
  readonly asksPreference: boolean;
  readonly negates: boolean;
}

const ASKS =
  /[?？؟]\s*$|^\W*(who|whose|whom|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|am|may)\b/i;
const NUMBER =
  /\b(how (much|many|old|long|far|tall|often|big|high|heavy|late|early)|what time|cost|costs|price|prices|fee|rent|pay|owe|number|age|amount|percentage|weigh|height|score|salary|budget)\b/i;
const PREFERENCE =
  /\b(prefers?|favou?rites?|likes?|loves?|enjoys?|hates?|dislikes?|avoid|allerg\w+|intoleran\w+|diet\w*|restrictions?|eat|eats|drink|drinks|cook|food|meal|dinner|lunch|snack|gift|present|wants?|rather|kind of (music|film|movie|book|food)s?|taste|how does \w+ take|style|should I (not )?(cook|bring|serve|buy|order|give|avoid|get)|(long|short) answers?)\b/i;
/** The question asks for a place, a time, a person or a number; a preference answers it only if a text states one. */
const OTHER_ANSWER = /^\W*(where|when|who|whose|what time|how (much|many|long|old|far))\b/i;
const LIKES = /\b(prefers?|favou?rites?|likes?|loves?|enjoys?|hates?|dislikes?|avoid|allerg\w+|intoleran\w+|rather)\b/i;
const NEGATION = /\b(not|never|no longer|without|cannot|nobody|none|avoid)\b|n't\b/i;
function cueTraitsOf(text: string): CueTraits {
  return {
    asks: ASKS.test(text),
    asksNumber: NUMBER.test(text),
    asksPreference: PREFERENCE.test(text) && (!OTHER_ANSWER.test(text) || LIKES.test(text)),
    negates: NEGATION.test(text),
  };
}
