import type { TokenTable } from '../embedding/static/token-table.ts';
import type { AskedTexts } from './asked-texts.ts';
import type { LaneScores } from './lane-scores.ts';
import { NearTokens } from './near-tokens.ts';
import { idfOf } from './question.ts';
import { scoreIn } from './signals.ts';

const FIRST_HITS = 5;
/** Weights of the context, MaxSim and window lanes in the order that selects the first hits. */
const LANE_SHARES = [1, 1, 0.5];
/** Maximum number of tokens taken from the first hits. */
const TOKENS_MAX = 16;
/** A token that occurs in more than this share of all memories is not distinctive. */
const COMMON_SHARE = 0.05;

export interface NamedToken {
  readonly token: number;
  /** Contribution of each first hit to the token's weight, in the hits' order; 0 where the hit lacks the token. */
  readonly gifts: readonly number[];
}

/** The rare tokens of the first hits that the question lacks: people, objects and dates that it did not mention. */
export function tokensNamedBy(
  hits: readonly { readonly sequence: number; readonly score: number }[],
  asked: ReadonlySet<number>,
  index: Pick<AskedTexts, 'tokensOf' | 'frequency' | 'size'>,
): NamedToken[] {
  const named = new Map<number, number[]>();
  hits.forEach(({ sequence, score }, place) => {
    for (const token of new Set(index.tokensOf(sequence))) {
      const frequency = index.frequency(token);
      if (asked.has(token) || frequency < 2 || frequency > COMMON_SHARE * index.size) continue;
      let gifts = named.get(token);
      if (!gifts) {
        gifts = hits.map(() => 0);
        named.set(token, gifts);
      }
      gifts[place] = score * idfOf(frequency, index.size);
    }
  });
  return [...named]
    .map(([token, gifts]) => ({ token, gifts, total: gifts.reduce((sum, gift) => sum + gift, 0) }))
    .sort((a, b) => b.total - a.total || a.token - b.token)
    .slice(0, TOKENS_MAX);
}

/**
 * MaxSim of each memory with the named tokens, from 0 to 1. A first hit is measured against the tokens of the other
 * hits, or it would match itself.
 */
export function echoesOf(
  named: readonly NamedToken[],
  hits: readonly number[],
  sequences: readonly number[],
  index: Pick<AskedTexts, 'spansOf' | 'placeOf'>,
  near: NearTokens,
): Float32Array {
  const echoes = new Float32Array(sequences.length);
  const best = new Float32Array(named.length);
  near.ask(named.map(({ token }) => token));
  const weightsOfAll = weightsWithout(-1, named);
  const weightsOfHits = hits.map((_, place) => weightsWithout(place, named));
  for (let m = 0; m < sequences.length; m++) {
    const sequence = sequences[m] as number;
    near.compare(index.spansOf(sequence), index.placeOf(sequence), best);
    const { weights, total } = weightsOfHits[hits.indexOf(sequence)] ?? weightsOfAll;
    let score = 0;
    for (let n = 0; n < weights.length; n++) score += (weights[n] as number) * (best[n] as number);
    echoes[m] = total > 0 ? score / total : 0;
  }
  return echoes;
}

/** Weight of each named token without the contribution of the hit at a position. */
function weightsWithout(self: number, named: readonly NamedToken[]): { weights: Float64Array; total: number } {
  const weights = new Float64Array(named.length);
  let total = 0;
  named.forEach(({ gifts }, n) => {
    let weight = 0;
    gifts.forEach((gift, place) => {
      if (place !== self) weight += gift;
    });
    weights[n] = weight;
    total += weight;
  });
  return { weights, total };
}

/** Scores again with the tokens that the first hits contain. One instance serves one thread. */
export class SecondLook {
  private readonly near: NearTokens;

  constructor(table: TokenTable) {
    this.near = new NearTokens(table);
  }

  /** By place in the sequences; see `echoesOf`. */
  look(
    sequences: readonly number[],
    query: readonly { readonly token: number }[],
    lanes: readonly LaneScores[],
    texts: AskedTexts,
  ): Float32Array {
    const hits = sequences
      .map((sequence) => ({ sequence, score: firstScore(lanes, sequence) }))
      .sort((a, b) => b.score - a.score || a.sequence - b.sequence)
      .slice(0, FIRST_HITS);
    const first = hits.map(({ sequence }) => sequence);
    const named = tokensNamedBy(hits, new Set(query.map(({ token }) => token)), texts);
    return echoesOf(named, first, sequences, texts, this.near);
  }
}

function firstScore(lanes: readonly LaneScores[], sequence: number): number {
  let sum = 0;
  for (let at = 0; at < lanes.length; at++) {
    const lane = lanes[at] as LaneScores;
    if (lane.best > 0) sum += ((LANE_SHARES[at] ?? 0) * scoreIn(lane, sequence)) / lane.best;
  }
  return sum;
}
