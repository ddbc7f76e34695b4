import type { Embedder, InstantEmbedder } from '../embedder.ts';
import { PooledVector } from './pooled-vector.ts';
import { TextTokens } from './text-tokens.ts';
import { openTokenTable, STATIC_MODEL, type TokenTable } from './token-table.ts';
import { WordPiece } from './word-piece.ts';

const DIMENSION = 256;
/** Chosen by measurement on four sets: `docs/decisions/meaning.md`. */
const LANE_WEIGHT = 0.1;

/**
 * Converts texts into the mean of their tokens' vectors, from the table in `assets/`. Needs no network, is
 * deterministic, and takes some 20 to 40 µs for a sentence.
 */
export class StaticEmbedder implements Embedder {
  readonly kind = 'static';
  readonly model = STATIC_MODEL;
  readonly dimension = DIMENSION;
  readonly inline = true;
  readonly isDerived = true;
  readonly laneWeight = LANE_WEIGHT;
  private readonly texts: StaticTexts;

  constructor(texts: StaticTexts = new StaticTexts()) {
    this.texts = texts;
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]> {
    signal.throwIfAborted();
    return texts.map((text) => this.texts.vectorOf(text));
  }
}

const WORD = /[\p{L}\p{N}]/u;
/** Signs that are tokenised between two looks at how many tokens there are. */
const STEP_LENGTH = 4096;

interface Parts {
  readonly table: TokenTable;
  readonly tokenizer: TextTokens;
  readonly pieces: WordPiece;
  readonly pooled: PooledVector;
}

/**
 * Vectors of whole texts by the token table. The table is loaded on first use: some 50 ms that a start does not wait
 * for. One instance serves one thread.
 */
export class StaticTexts implements InstantEmbedder {
  readonly model = STATIC_MODEL;
  private parts: Parts | undefined;

  /** Punctuation has vectors in the table, but carries no meaning. */
  vectorOf(text: string): Float32Array | undefined {
    return WORD.test(text) ? this.load().pooled.ofText(text) : undefined;
  }

  /** Number of tokens; for a text with more than `max`, some larger number. */
  countTokens(text: string, max: number): number {
    const { pieces } = this.load();
    let count = 0;
    for (let from = 0; from < text.length && count <= max; ) {
      const to = endOfStep(text, from);
      count += pieces.encode(text.slice(from, to)).length;
      from = to;
    }
    return count;
  }

  load(): Parts {
    if (!this.parts) {
      const table = openTokenTable();
      const pieces = new WordPiece(table);
      const tokenizer = new TextTokens(table, pieces);
      this.parts = { table, tokenizer, pieces, pooled: new PooledVector(table, tokenizer) };
    }
    return this.parts;
  }
}

/** White space is where a text can be cut without changing its tokens. */
function endOfStep(text: string, from: number): number {
  const aim = from + STEP_LENGTH;
  if (aim >= text.length) return text.length;
  const gap = /\s/g;
  gap.lastIndex = aim;
  return gap.exec(text)?.index ?? text.length;
}
