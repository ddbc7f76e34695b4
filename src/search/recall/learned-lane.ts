import { readFileSync } from 'node:fs';
import type { Micros } from '../../memory/memory.ts';
import type { Span } from '../../memory/passages.ts';
import type { TimeSpan } from '../../memory/time/calendar.ts';
import { timesNamedIn } from '../../memory/time/time-expressions.ts';
import { zoneNamed } from '../../memory/time/zone.ts';
import { wordsOf } from '../../memory/words.ts';
import type { TextTokens } from '../embedding/static/text-tokens.ts';
import type { TokenTable } from '../embedding/static/token-table.ts';
import { SignalGatherer } from '../ranking/gather.ts';
import { type FeatureContribution, type LearnedHit, LearnedRanker } from '../ranking/learned-ranker.ts';
import { type Phrase, PhraseSearch } from '../ranking/phrase-search.ts';
import { openRelevanceModel } from '../ranking/relevance-model.ts';
import { askedAgreement } from '../ranking/text-agreement.ts';
import { readTreeModel, type TreeModelFile } from '../ranking/tree-model.ts';
import { type Adjustment, adjustmentsOf, isWithin } from '../reading/adjust.ts';
import { FrameSearch } from '../reading/frame-search.ts';
import { type Frame, frameOf, readFrame } from '../reading/frames.ts';
import { putVerbatimFirst } from '../reading/verbatim-first.ts';
import type { KeywordMatches } from './keyword-lane.ts';
import type { NamespaceColumns } from './namespace-columns.ts';
import type { NamespaceTexts } from './namespace-texts.ts';
import type { SequenceScores } from './sequence-scores.ts';

const NOWHERE: ReadonlyMap<number, number> = new Map();
const WHOLE: Span = { from: 0, end: Number.POSITIVE_INFINITY };
/** Log-odds per unit of score adjustment. */
const ADJUSTED_ODDS = 0.5;
const MODEL_FILE = new URL('../../../assets/ranker-v3.json', import.meta.url);

export interface LearnedQuestion {
  readonly text: string;
  /** Hits that are wanted. */
  readonly limit: number;
  readonly matches: KeywordMatches;
  /** Keyword scores with session context. */
  readonly context: SequenceScores;
  readonly columns: NamespaceColumns;
  readonly memories: NamespaceTexts;
  /** Absent where every memory is. */
  readonly isAllowed: ((sequence: number) => boolean) | undefined;
  /** All that may be allowed, where a filter leaves few. */
  readonly among: ArrayLike<number> | undefined;
  /** When it is asked: at `referenceUs`, or else now. */
  readonly nowUs: Micros;
  readonly referenceUs?: Micros;
  readonly timeZone?: string;
  /** A memory's text, or the passage of it. */
  readonly textOf: (sequence: number, passage?: Span) => string;
}

/** The order of candidates that was learned from conversations; see `docs/decisions/ranking.md`. One instance serves one thread. */
export class LearnedLane {
  private readonly ranker: LearnedRanker;
  private readonly phrases: PhraseSearch;
  private readonly frames: FrameSearch;

  constructor(table: TokenTable, tokenizer: TextTokens) {
    const model = readTreeModel(JSON.parse(readFileSync(MODEL_FILE, 'utf8')) as TreeModelFile);
    this.phrases = new PhraseSearch(table, tokenizer);
    this.frames = new FrameSearch(tokenizer);
    this.ranker = new LearnedRanker(model, new SignalGatherer(table, tokenizer), openRelevanceModel());
  }

  /**
   * Best first. `isSettled` is false where vectors were missing, `isBeingRead` true where these are made in the background.
   */
  order(question: LearnedQuestion): { hits: readonly LearnedHit[]; isSettled: boolean; isBeingRead: boolean } {
    const { text, limit, matches, context, columns, memories, isAllowed, among, textOf } = question;
    const { nowUs, referenceUs = nowUs } = question;
    const zone = zoneNamed(question.timeZone ?? 'UTC');
    const { speakers } = columns;
    const phrase = this.phrases.phraseOf(text);
    const verbatim = phrase ? this.having(phrase, memories, isAllowed) : NOWHERE;
    const named = speakers.named(new Set(wordsOf(text)));
    const isByNamed = (sequence: number): boolean => named.has(columns.speakerOf(sequence));
    const framed = this.framed(question, isByNamed);
    const asked = {
      text,
      agreement: askedAgreement(text),
      nowUs: referenceUs,
      zone,
      limit,
      keyword: matches.scores,
      passages: matches.passages,
      context,
      names: speakers.nameWords(),
      named,
      ofAskedTime: memoriesOf(timesNamedIn(text, referenceUs, zone), columns, isAllowed),
      found: [...verbatim.keys(), ...(framed?.sequences ?? [])],
      isAllowed,
      among,
      textOf: (sequence: number) => textOf(sequence, WHOLE),
    };
    const { hits, isWhole } = this.ranker.rank(asked, memories, columns);
    const spans = new Map<number, Span>();
    for (const { sequence, slot } of hits) if (slot >= 0) spans.set(sequence, memories.passages.spanOf(slot));
    const adjustments = adjustmentsOf({ text, nowUs: referenceUs, zone, framed }, hits, {
      textOf: (sequence) => textOf(sequence, spans.get(sequence)),
      eventAtUs: (sequence) => columns.eventAtUs(sequence),
      speakerOf: (sequence) => columns.speakerOf(sequence),
      isByNamed,
      declaresStart: (sequence) => columns.declaresStart(sequence),
      isSummary: (sequence) => columns.isSummary(sequence),
    });
    const isBeingRead = !isWhole && memories.meanings !== undefined;
    const quoting = phrase && verbatim.size > 0 ? this.withoutEchoes(phrase, verbatim, memories) : NOWHERE;
    return { hits: putVerbatimFirst(adjusted(hits, adjustments), quoting), isSettled: isWhole, isBeingRead };
  }

  /** Subject and relation that the question asks for, and the newest memories that state it. */
  private framed(
    { text, memories, columns, isAllowed, textOf }: LearnedQuestion,
    isByNamed: (sequence: number) => boolean,
  ): { frame: Frame; sequences: ReadonlySet<number> } | undefined {
    const frame = frameOf(text);
    if (!frame) return undefined;
    const found = this.frames.find(frame, memories.ranked.tokens, { isAllowed, isByNamed }).filter((sequence) => {
      const said = { atUs: 0, speaker: columns.speakerOf(sequence), isByNamed: isByNamed(sequence) };
      return readFrame(textOf(sequence), frame, said) !== undefined;
    });
    return { frame, sequences: new Set(found) };
  }

  /** Memories that have the phrase, each with the slot of the passage that has it, -1 for a text that is whole. */
  private having(
    phrase: Phrase,
    { ranked, passages }: NamespaceTexts,
    isAllowed: LearnedQuestion['isAllowed'],
  ): ReadonlyMap<number, number> {
    const found = new Map<number, number>();
    for (const sequence of this.phrases.find(phrase, ranked.tokens, isAllowed)) found.set(sequence, -1);
    if (passages.size > 0) {
      const isOwnerAllowed = isAllowed && ((slot: number) => isAllowed(passages.ownerOf(slot)));
      for (const slot of this.phrases.find(phrase, passages.ranked.tokens, isOwnerAllowed)) {
        found.set(passages.ownerOf(slot), slot);
      }
    }
    return found;
  }

  /** Without questions that ask the same: they do not answer it. */
  private withoutEchoes(
    phrase: Phrase,
    verbatim: ReadonlyMap<number, number>,
    { ranked }: NamespaceTexts,
  ): ReadonlyMap<number, number> {
    const answers = [...verbatim].filter(([sequence]) => {
      const asks = ranked.isQuestion(sequence);
      return !asks || !(phrase.isQuestion || this.phrases.isAll(phrase, ranked.tokens, sequence));
    });
    return new Map(answers);
  }

  explain(hit: LearnedHit): readonly FeatureContribution[] {
    return this.ranker.explain(hit).contributions;
  }
}

/** Best first; hits without an adjustment keep their order. */
function adjusted(hits: readonly LearnedHit[], adjustments: ReadonlyMap<number, Adjustment>): LearnedHit[] {
  if (adjustments.size === 0) return [...hits];
  const all = hits.map((hit): LearnedHit => {
    const adjustment = adjustments.get(hit.sequence);
    if (!adjustment) return hit;
    const odds = (hit.relevance / (1 - hit.relevance)) * Math.exp(ADJUSTED_ODDS * adjustment.total);
    return { ...hit, score: hit.score + adjustment.total, relevance: odds / (1 + odds), adjustment };
  });
  all.sort((a, b) => b.score - a.score);
  return all.map((hit, place) => {
    const relevance = Math.max(relevanceOfNewer(hit, all.slice(place + 1)), hit.adjustment?.relevanceMin ?? 0);
    return { ...hit, relevance };
  });
}

/** A statement that was moved before the one that it replaces is at least as relevant as that one. */
function relevanceOfNewer(hit: LearnedHit, behind: readonly LearnedHit[]): number {
  if (!hit.adjustment?.parts['newer statement']) return hit.relevance;
  const before = hit.score - hit.adjustment.total;
  const overtaken = behind.filter(({ score, adjustment }) => score - (adjustment?.total ?? 0) > before);
  return Math.max(hit.relevance, ...overtaken.map(({ relevance }) => relevance));
}

/** Maximum candidates added for a time that the question names: the newest ones. */
const OF_TIME_MAX = 100;

export function memoriesOf(
  spans: readonly TimeSpan[],
  columns: NamespaceColumns,
  isAllowed: LearnedQuestion['isAllowed'],
): number[] {
  const found: number[] = [];
  if (spans.length === 0) return found;
  const { eventTimes } = columns;
  let sequence = eventTimes.before(columns.end - 1, spans);
  while (sequence > 0 && found.length < OF_TIME_MAX) {
    const isOfTime = columns.has(sequence) && isWithin(spans, columns.eventAtUs(sequence));
    if (isOfTime && isAllowed?.(sequence) !== false) found.push(sequence);
    sequence = eventTimes.before(sequence - 1, spans);
  }
  return found;
}
