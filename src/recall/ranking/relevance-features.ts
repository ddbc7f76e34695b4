import type { NamespaceColumns } from '../namespace-columns.ts';
import { timesAsked } from '../reading/adjust.ts';
import { timeFit } from '../reading/time-fit.ts';
import type { AskedTexts } from './asked-texts.ts';
import { cueTraitsOf } from './cue-traits.ts';
import type { Meant } from './meant.ts';
import { NEGATES, TELLS_NUMBER, TELLS_PREFERENCE } from './memory-traits.ts';
import type { Asked } from './question.ts';

/** A candidate as the trees and the encoder leave it. */
export interface Judged {
  readonly sequence: number;
  /** Score of the trees. */
  readonly score: number;
  readonly cosine: number;
  /** Share of the question's weight that the memory says softly, and whose very tokens it has. */
  readonly coverage: number;
  readonly exactShare: number;
}

/** What relevance goes by, in the order of the rows. */
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
] as const;

/** Tokens beyond which a memory is just long. */
const LENGTH_MAX = 12;
/** What a mere question counts less where the cue is none: some words. */
const KEYWORDS_ASK = 0.07;
/** Best candidates whose texts are read for times. */
const READ_MAX = 24;
/** From here on a memory is of a time. */
const FIT_MIN = 0.5;
/** What a cosine counts beside the trees where the best are chosen. */
const MEANING_SHARE = 12;
export interface RelevanceCue {
  readonly asked: Asked;
  readonly texts: AskedTexts;
  readonly columns: NamespaceColumns;
  readonly meant: Meant;
  readonly queryTokens: number;
}

/** Rows of features, one a candidate. */
export function relevanceRows(candidates: readonly Judged[], cue: RelevanceCue): Float32Array {
  const width = RELEVANCE_FEATURES.length;
  const rows = new Float32Array(candidates.length * width);
  const { asked, texts, columns } = cue;
  const traits = cueTraitsOf(asked.text);
  const times = timesOf(candidates, cue);
  candidates.forEach(({ sequence, score, cosine, coverage, exactShare }, at) => {
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
        Math.log(1 + Math.min(LENGTH_MAX, texts.tokensOf(sequence).length)),
      ],
      at * width,
    );
  });
  return rows;
}

/** 1 for each of the best candidates that is of the time asked for; `undefined` where none is. */
function timesOf(candidates: readonly Judged[], { asked, texts, columns }: RelevanceCue): Map<number, 1> | undefined {
  const weightOf = ({ score, cosine }: Judged) => score + MEANING_SHARE * cosine;
  const best = candidates
    .toSorted((a, b) => weightOf(b) - weightOf(a))
    .slice(0, READ_MAX)
    .map(({ sequence, score }) => ({ sequence, score, isOpenQuestion: texts.isQuestion(sequence) }));
  const { textOf = () => '' } = asked;
  const source = {
    textOf,
    eventAtUs: (sequence: number) => columns.eventAtUs(sequence),
    speakerOf: (sequence: number) => columns.speakerOf(sequence),
  };
  const spans = timesAsked(asked, best, source);
  if (spans.length === 0) return undefined;
  const fit = best.filter(({ sequence }) => timeFit(spans, textOf(sequence), columns.eventAtUs(sequence)) >= FIT_MIN);
  return new Map(fit.map(({ sequence }) => [sequence, 1]));
}
