import { PooledVector } from '../../embedding/static/pooled-vector.ts';
import type { TokenTable } from '../../embedding/static/token-table.ts';
import type { WordPiece } from '../../embedding/static/word-piece.ts';
import type { KeptText } from '../kept-texts.ts';
import { ASKS, traitsOf } from './memory-traits.ts';
import { PooledVectors } from './pooled-vectors.ts';
import { TokenIndex } from './token-index.ts';

const ROOM_AT_FIRST = 1024;

/** What the ranker keeps of every memory of a namespace beside `NamespaceColumns`: its tokens, its pooled vector and a byte of traits. */
export class RankedMemories {
  readonly tokens = new TokenIndex();
  readonly vectors: PooledVectors;
  private traits = new Uint16Array(ROOM_AT_FIRST);
  /** Sum of the pooling weights of each memory's tokens. */
  private weights = new Float64Array(ROOM_AT_FIRST);
  private tokenTotal = 0;
  private readonly tokenizer: WordPiece;
  private readonly pooled: PooledVector;
  private readonly poolingWeights: Float32Array;
  /** Tokens of what ends a sentence, that of a question first. */
  private readonly sentenceEnds: readonly number[];
  private readonly table: TokenTable;

  constructor(table: TokenTable, tokenizer: WordPiece) {
    this.table = table;
    this.tokenizer = tokenizer;
    this.pooled = new PooledVector(table, tokenizer);
    this.vectors = new PooledVectors(table.dimensions);
    this.poolingWeights = table.poolingWeights;
    this.sentenceEnds = ['?', '.', '!'].map((end) => tokenizer.encode(end)[0] ?? -1);
  }

  /** Nothing yet, with the same table. */
  sibling(): RankedMemories {
    return new RankedMemories(this.table, this.tokenizer);
  }

  put(sequence: number, text: string): void {
    const tokens = this.tokenizer.encode(text);
    this.putTokens(sequence, tokens, traitsOf(text));
    this.vectors.put(sequence, this.pooled.ofTokens(tokens));
  }

  /** What was read before. */
  putKept(sequence: number, { tokens, traits, vector, shrink }: Omit<KeptText, 'terms'>): void {
    this.putTokens(sequence, tokens, traits);
    this.vectors.putBytes(sequence, vector, shrink);
  }

  private putTokens(sequence: number, tokens: Uint16Array, traits: number): void {
    this.remove(sequence);
    this.tokens.put(sequence, tokens);
    if (sequence >= this.traits.length) this.grow(sequence);
    this.traits[sequence] = traits;
    let weight = 0;
    for (const token of tokens) weight += this.poolingWeights[token] ?? 0;
    this.weights[sequence] = weight;
    this.tokenTotal += this.tokens.lengthOf(sequence);
  }

  remove(sequence: number): void {
    this.tokenTotal -= this.tokens.lengthOf(sequence);
    this.tokens.remove(sequence);
    this.vectors.remove(sequence);
  }

  /** Bits of `memory-traits.ts`. */
  traitsOf(sequence: number): number {
    return this.traits[sequence] ?? 0;
  }

  /** It is one question and nothing else: no other sentence ends in it. */
  isQuestion(sequence: number): boolean {
    if ((this.traitsOf(sequence) & ASKS) === 0) return false;
    return this.sentenceEnds.every((token, at) => this.tokens.countIn(sequence, token) === (at === 0 ? 1 : 0));
  }

  /** What the memory's tokens count together, each by its rarity. */
  weightOf(sequence: number): number {
    return this.weights[sequence] ?? 0;
  }

  /** Tokens of all memories together. */
  get tokenCount(): number {
    return this.tokenTotal;
  }

  get bytes(): number {
    return this.tokens.bytes + this.traits.byteLength + this.weights.byteLength + this.vectors.bytes;
  }

  private grow(sequence: number): void {
    let room = this.traits.length;
    while (room <= sequence) room *= 2;
    const traits = new Uint16Array(room);
    traits.set(this.traits);
    this.traits = traits;
    const weights = new Float64Array(room);
    weights.set(this.weights);
    this.weights = weights;
  }
}
