import { stemOf, wordsOf } from '../../memory/words.ts';
import { PooledVector } from '../embedding/static/pooled-vector.ts';
import type { TextTokens } from '../embedding/static/text-tokens.ts';
import type { TokenTable } from '../embedding/static/token-table.ts';
import type { NamespaceColumns } from '../recall/namespace-columns.ts';
import type { NamespaceTexts } from '../recall/namespace-texts.ts';
import type { PassageTexts } from '../recall/passage-texts.ts';
import type { SequenceScores } from '../recall/sequence-scores.ts';
import { AskedTexts, cosinesOf } from './asked-texts.ts';
import { bestOf, type LaneScores, laneOf, SessionTops } from './lane-scores.ts';
import type { Meant } from './meanings.ts';
import { type Asked, asksWhen, contentWordsOf, type WeightedToken, weightedTokensOf } from './question.ts';
import type { RankedMemories } from './ranked-memories.ts';
import type { Unsaid } from './relevance-features.ts';
import { SecondLook } from './second-look.ts';
import { SignalReader, scoreIn, TokenMatcher } from './signals.ts';
import { SoftMatcher } from './soft-match.ts';
import { datePartsOf } from './text-agreement.ts';

/** Best of each lane that become candidates. */
export const LANE_CANDIDATES = 100;
/**
 * Maximum number of memories whose pooled vectors are all scanned: of the namespace, or of those that a filter admits.
 */
const NEAREST_MAX = 5000;

/** Maximum postings of passages that a question reads: what is left out of these is not compared afterwards. */
const PASSAGE_POSTINGS_MAX = 100_000;

export interface Gathered {
  readonly sequences: readonly number[];
  /** By place in `sequences`. */
  readonly reader: SignalReader;
  readonly texts: AskedTexts;
}

/** Finds the candidates of a question and all that the features see of each. One instance serves one thread. */
export class SignalGatherer {
  private readonly tokenizer: TextTokens;
  private readonly soft: SoftMatcher;
  private readonly matcher: TokenMatcher;
  private readonly pooled: PooledVector;
  private readonly passages: BestPassages;
  private readonly second: SecondLook;
  private readonly nowhere: Float32Array;
  private readonly table: TokenTable;
  private readonly tops = { keyword: new SessionTops(), window: new SessionTops() };

  constructor(table: TokenTable, tokenizer: TextTokens) {
    this.table = table;
    this.tokenizer = tokenizer;
    this.soft = new SoftMatcher(table);
    this.matcher = new TokenMatcher(table);
    this.pooled = new PooledVector(table, tokenizer);
    this.passages = new BestPassages(table);
    this.second = new SecondLook(table);
    this.nowhere = new Float32Array(table.dimensions);
  }

  /** `meant` is the result of the sentence encoder, where it takes part. */
  gather(asked: Asked, all: NamespaceTexts, columns: NamespaceColumns, meant?: Meant): Gathered {
    const { ranked: memories, passages, meanings } = all;
    const words = wordsOf(asked.text);
    const content = contentWordsOf(words, asked.names);
    const frequencies = new AskedTexts(memories, passages, new Map());
    const query = weightedTokensOf(content, this.tokenizer, frequencies);
    const best = this.passages.choose(query, passages, asked.passages);
    const matched = this.soft.match(query, memories.tokens, columns, best);
    const context = laneOf(asked.context.values, asked.context.found, columns.size);
    const keyword = laneOf(asked.keyword.values, asked.keyword.found, columns.size);
    const meaning = this.pooled.ofTokens(this.tokenizer.encodeWords(content)) ?? this.nowhere;
    const slots = new Map(best.map(({ sequence, slot }) => [sequence, slot]));
    const size = asked.among?.length ?? columns.size;
    const near = size <= NEAREST_MAX ? nearestOf({ memories, passages, slots }, meaning, asked) : [];
    const texts = new AskedTexts(memories, passages, slots);
    const alike = meant ? (meanings?.nearest(meant.question, meant.candidates, asked) ?? []) : [];
    const sequences = candidatesOf([context, keyword, matched.own, matched.window], [...near, ...alike], asked);
    const soft = this.soft.complete(matched, query, memories.tokens, columns, sequences);
    const cosine = cosinesOf(texts, meaning, sequences);
    const { tops } = this;
    const sessions = sessionsOf(sequences, columns);
    tops.keyword.readOnly(sessions, keyword, columns);
    tops.window.readOnly(sessions, soft.window, columns);
    this.matcher.ask(query);
    const echoes = this.second.look(sequences, query, [context, soft.own, soft.window], texts);
    const reader = new SignalReader({
      asked,
      texts,
      columns,
      sequences,
      keyword,
      context,
      soft,
      tops,
      cosine,
      meanings: meant?.cosines(sequences) ?? new Float32Array(sequences.length),
      echoes,
      matcher: this.matcher,
      date: datePartsOf(words),
      isTimeAsked: asksWhen(asked.text),
      queryTokenCount: query.length,
    });
    return { sequences, reader, texts };
  }

  unsaidOf({ text, agreement: { names }, names: speakers }: Asked, all: NamespaceTexts): Unsaid {
    const content = contentWordsOf(wordsOf(text), speakers);
    const unknown = [...names].filter((name) => !all.hasWord(name)).length;
    let [missing, total] = [0, 0];
    for (const word of content) {
      const stem = stemOf(word);
      if (names.has(stem) || speakers.has(word)) continue;
      const rarity =
        Math.max(0, ...[...this.tokenizer.encodeWords([word])].map((token) => this.table.poolingWeights[token] ?? 0)) **
        2;
      total += rarity;
      if (!all.hasWord(stem, word)) missing += rarity;
    }
    return { names: names.size === 0 ? -1 : unknown / names.size, words: total > 0 ? missing / total : 0 };
  }
}

/**
 * The memories whose texts or passages are nearest by their pooled vectors; records the passages of memories without a
 * match.
 */
function nearestOf(
  { memories, passages, slots }: { memories: RankedMemories; passages: PassageTexts; slots: Map<number, number> },
  meaning: Float32Array,
  asked: Asked,
): number[] {
  const { isAllowed } = asked;
  const near = memories.vectors.nearest(meaning, LANE_CANDIDATES, asked);
  if (passages.size === 0 || passages.size > NEAREST_MAX) return near;
  const admits = isAllowed && ((slot: number) => isAllowed(passages.ownerOf(slot)));
  for (const slot of passages.ranked.vectors.nearest(meaning, LANE_CANDIDATES, { isAllowed: admits })) {
    const owner = passages.ownerOf(slot);
    if (!slots.has(owner)) slots.set(owner, slot);
    near.push(owner);
  }
  return near;
}

function candidatesOf(lanes: readonly LaneScores[], near: readonly number[], asked: Asked): number[] {
  const { isAllowed, among, ofAskedTime } = asked;
  const found = new Set<number>([...near, ...ofAskedTime, ...asked.found]);
  for (const lane of lanes) {
    for (const sequence of bestOf(lane, LANE_CANDIDATES, isAllowed, among)) found.add(sequence);
  }
  return [...found].sort((a, b) => a - b);
}

function sessionsOf(sequences: readonly number[], columns: NamespaceColumns): ReadonlySet<number> {
  const sessions = new Set<number>();
  for (const sequence of sequences) sessions.add(columns.sessionOf(sequence));
  sessions.delete(-1);
  return sessions;
}

/** Match of a memory's best passage with the question: its own MaxSim, and that including adjacent passages. */
export interface PassageMatch {
  readonly sequence: number;
  readonly slot: number;
  readonly own: number;
  readonly window: number;
}

/** Chooses of each long text the passage that a question is compared with. One instance serves one thread. */
class BestPassages {
  private readonly soft: SoftMatcher;

  constructor(table: TokenTable) {
    this.soft = new SoftMatcher(table, PASSAGE_POSTINGS_MAX);
  }

  /** One for each memory with a matching passage. `keyword` is BM25 by slot. Of ties the first in the text. */
  choose(query: readonly WeightedToken[], passages: PassageTexts, keyword: SequenceScores): PassageMatch[] {
    if (passages.size === 0) return [];
    const { own, window } = this.soft.match(query, passages.ranked.tokens, passages);
    let bestKeyword = 0;
    for (const slot of keyword.found) bestKeyword = Math.max(bestKeyword, keyword.get(slot));
    const scoreOf = (slot: number): number =>
      (own.best > 0 ? scoreIn(own, slot) / own.best : 0) + (bestKeyword > 0 ? keyword.get(slot) / bestKeyword : 0);
    const best = new Map<number, { readonly slot: number; readonly score: number }>();
    for (const found of [own.found, keyword.found]) {
      for (const slot of found) {
        const sequence = passages.ownerOf(slot);
        const score = scoreOf(slot);
        const known = best.get(sequence);
        const isBetter = !known || score > known.score;
        if (isBetter || (score === known.score && isBefore(passages, slot, known.slot)))
          best.set(sequence, { slot, score });
      }
    }
    return Array.from(best, ([sequence, { slot }]) => {
      return { sequence, slot, own: scoreIn(own, slot), window: scoreIn(window, slot) };
    });
  }
}

function isBefore(passages: PassageTexts, slot: number, other: number): boolean {
  return passages.spanOf(slot).from < passages.spanOf(other).from;
}
