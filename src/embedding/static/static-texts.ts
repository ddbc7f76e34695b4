import type { InstantEmbedder } from '../embedder.ts';
import { PooledVector } from './pooled-vector.ts';
import { openTokenTable, STATIC_MODEL, type TokenTable } from './token-table.ts';
import { WordPiece } from './word-piece.ts';

const WORD = /[\p{L}\p{N}]/u;
/** Signs that are tokenised between two looks at how many tokens there are. */
const STEP_LENGTH = 4096;

interface Parts {
  readonly table: TokenTable;
  readonly tokenizer: WordPiece;
  readonly pooled: PooledVector;
}

/**
 * What the token table says of whole texts. It is read when it is first needed: some 50 ms that a start does not wait
 * for. One instance serves one thread.
 */
export class StaticTexts implements InstantEmbedder {
  readonly model = STATIC_MODEL;
  private parts: Parts | undefined;

  /** Signs alone have vectors in the table, but say nothing. */
  vectorOf(text: string): Float32Array | undefined {
    return WORD.test(text) ? this.load().pooled.ofText(text) : undefined;
  }

  /** Number of tokens; of a text with more than `max` some number above that. */
  countTokens(text: string, max: number): number {
    const { tokenizer } = this.load();
    let count = 0;
    for (let from = 0; from < text.length && count <= max; ) {
      const to = endOfStep(text, from);
      count += tokenizer.encode(text.slice(from, to)).length;
      from = to;
    }
    return count;
  }

  load(): Parts {
    if (!this.parts) {
      const table = openTokenTable();
      const tokenizer = new WordPiece(table);
      this.parts = { table, tokenizer, pooled: new PooledVector(table, tokenizer) };
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
