import { sql } from '#kysely';
import type { Language } from '../../memory/languages/languages.ts';
import { FOREIGN_MARK, languageOfTerm } from '../../memory/languages/terms.ts';
import type { KeywordIndex } from '../../search/recall/keyword-index.ts';
import { prepared, type SqliteDatabase } from './database.ts';
import { markedTerm } from './word-index.ts';

/**
 * The full-text index as a source of BM25 parts. FTS5's bm25() multiplies by its own idf over all namespaces (`ln((N -
 * df + 0.5) / (df + 0.5))`, at least 1e-6, see fts5_aux.c), which is divided out again.
 */
export class SqliteKeywordIndex implements KeywordIndex {
  private readonly db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.db = db;
  }

  /** One look-up, and one more for each of the languages. */
  languages(namespaceKey: number): readonly Language[] {
    const found: Language[] = [];
    const prefix = markedTerm(namespaceKey, '');
    const end = `${prefix}${FOREIGN_MARK}${LAST}`;
    for (let from = `${prefix}${FOREIGN_MARK}`; ; ) {
      const term = firstTermQuery(this.db).get({ from, end })?.term.slice(prefix.length);
      if (term === undefined) return found;
      const language = languageOfTerm(term);
      if (language) found.push(language);
      from = `${prefix}${term.slice(0, LANGUAGE_LENGTH)}${LAST}`;
    }
  }

  documentFrequency(namespaceKey: number, term: string): number {
    return frequencyQuery(this.db).get({ term: markedTerm(namespaceKey, term) })?.doc ?? 0;
  }

  having(namespaceKey: number, term: string, each: (key: number) => void): void {
    const phrase = phraseOf(namespaceKey, term);
    for (const { rowid } of rowsQuery(this.db).iterate({ phrase })) each(rowid);
  }

  matches(
    namespaceKey: number,
    term: string,
    frequency: number,
    each: (key: number, saturation: number) => void,
  ): void {
    const idf = Math.max(1e-6, Math.log((this.rowCount() - frequency + 0.5) / (frequency + 0.5)));
    const phrase = phraseOf(namespaceKey, term);
    for (const { rowid, score } of matchesQuery(this.db).all({ phrase })) each(rowid, -score / idf);
  }

  meanLength(): number {
    const [rows = 0, ...columns] = this.averages();
    return rows > 0 ? columns.reduce((sum, terms) => sum + terms, 0) / rows : 0;
  }

  private rowCount(): number {
    return this.averages()[0] ?? 0;
  }

  /** Rows of the full-text table and terms of each column: varints of its averages record (fts5_index.c, FTS5_AVERAGES_ROWID). */
  private averages(): number[] {
    const numbers: number[] = [];
    let number = 0;
    for (const byte of averagesQuery(this.db).get({})?.block ?? []) {
      number = number * 128 + (byte & 0x7f);
      if (byte >= 0x80) continue;
      numbers.push(number);
      number = 0;
    }
    return numbers;
  }
}

function phraseOf(namespaceKey: number, term: string): string {
  return `"${markedTerm(namespaceKey, term)}"`;
}

/** After all terms with the same beginning. */
const LAST = '\u{10ffff}';
/** Of `_de`. */
const LANGUAGE_LENGTH = 3;

const firstTermQuery = prepared(
  (p: { from: string; end: string }) => sql<{ term: string }>`
    SELECT term FROM memory_words_terms WHERE term >= ${p.from} AND term < ${p.end} LIMIT 1`,
);
const frequencyQuery = prepared(
  (p: { term: string }) => sql<{ doc: number }>`SELECT doc FROM memory_words_terms WHERE term = ${p.term}`,
);
const rowsQuery = prepared(
  (p: { phrase: string }) =>
    sql<{ rowid: number }>`SELECT rowid FROM memory_words WHERE memory_words MATCH ${p.phrase}`,
);
const matchesQuery = prepared(
  (p: { phrase: string }) =>
    sql<{ rowid: number; score: number }>`
      SELECT rowid, bm25(memory_words, 1, 1) AS score FROM memory_words WHERE memory_words MATCH ${p.phrase}`,
);
const averagesQuery = prepared(() => sql<{ block: Uint8Array }>`SELECT block FROM memory_words_data WHERE id = 1`);
