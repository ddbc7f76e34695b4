import { sql } from '#kysely';
import { type Language, languageOf } from '../../memory/languages/languages.ts';
import { termsIn } from '../../memory/languages/terms.ts';
import type { Micros } from '../../memory/memory.ts';
import { STOP_WORDS, spokenDate, stemOf, wordsOf } from '../../memory/words.ts';
import { prepared, type SqliteDatabase } from './database.ts';

/** Where the indexed words of a memory come from. */
export interface WordSource {
  readonly namespaceKey: number;
  readonly text: string;
  readonly speaker: string;
  readonly eventAtUs: Micros;
}

const removeWord = prepared((p: { pk: number }) => sql`DELETE FROM memory_words WHERE rowid = ${p.pk}`);
const insert = prepared(
  (p: { pk: number; body: string; meta: string }) =>
    sql`INSERT INTO memory_words(rowid, body, meta) VALUES (CAST(${p.pk} AS INTEGER), ${p.body}, ${p.meta})`,
);

/** Words are computed when they are written, which may be later than their memory. */
export const wordIndex: TermIndex<WordSource> = {
  remove: (database, pk) => void removeWord(database).run({ pk }),
  insert: (database, pk, source) => void insert(database).run({ pk, ...wordColumns(source) }),
};

/** A term in the form of the full-text index. Words have no `_`; terms of languages other than English begin with it. */
export function markedTerm(namespaceKey: number, term: string): string {
  return `${namespaceKey.toString(36)}_${term}`;
}

/** Computes the indexed words of a memory. */
function wordColumns({ namespaceKey, text, speaker, eventAtUs }: WordSource): { body: string; meta: string } {
  const about = `${speaker} ${spokenDate(eventAtUs)}`;
  const words = wordsOf(text);
  const language = languageOf(text, words);
  if (language) {
    return { body: termsOf(namespaceKey, language, text), meta: termsOf(namespaceKey, language, about) };
  }
  return { body: markedTerms(namespaceKey, words), meta: markedTerms(namespaceKey, wordsOf(about)) };
}

function termsOf(namespaceKey: number, language: Language, text: string): string {
  return termsIn(language, text)
    .map((term) => markedTerm(namespaceKey, term))
    .join(' ');
}

/** One look-up per word, as this is a considerable part of the cost of storing a memory. */
function markedTerms(namespaceKey: number, words: readonly string[]): string {
  const known = termsOfNamespace(namespaceKey);
  let terms = '';
  for (const word of words) {
    let term = known.get(word);
    if (term === undefined) {
      term = STOP_WORDS.has(word) ? '' : markedTerm(namespaceKey, stemOf(word));
      known.set(word, term);
    }
    if (term !== '') terms = terms === '' ? term : `${terms} ${term}`;
  }
  return terms;
}

const NAMESPACES_KEPT = 16;
const WORDS_KEPT = 20_000;
/** By namespace: the marked term of a word, '' for words that are not indexed. */
const termsByNamespace = new Map<number, Map<string, string>>();

function termsOfNamespace(namespaceKey: number): Map<string, string> {
  const known = termsByNamespace.get(namespaceKey);
  if (known && known.size < WORDS_KEPT) return known;
  if (!known && termsByNamespace.size >= NAMESPACES_KEPT) termsByNamespace.clear();
  const made = new Map<string, string>();
  termsByNamespace.set(namespaceKey, made);
  return made;
}

interface TermChange<T> {
  readonly pk: number;
  /** True when the index may already have a row of this key. */
  readonly replaces: boolean;
  readonly terms: T | undefined;
}

/** Statements that write the rows of a full-text index. */
export interface TermIndex<T> {
  remove(database: SqliteDatabase, pk: number): void;
  insert(database: SqliteDatabase, pk: number, terms: T): void;
}

/**
 * Changes of a full-text index, delayed to the end of the transaction: FTS5 flushes its memory at every savepoint after
 * its first change, and each command has a savepoint.
 */
export class PendingTerms<T> {
  private readonly database: SqliteDatabase;
  private readonly index: TermIndex<T>;
  private readonly changes: TermChange<T>[] = [];

  constructor(database: SqliteDatabase, index: TermIndex<T>) {
    this.database = database;
    this.index = index;
  }

  add(pk: number, terms: T): void {
    this.changes.push({ pk, replaces: false, terms });
  }

  /** `undefined`: the memory has no indexed words any more. */
  replace(pk: number, terms: T | undefined): void {
    this.changes.push({ pk, replaces: true, terms });
  }

  get count(): number {
    return this.changes.length;
  }

  /** Reverts all but the first `count` changes. */
  keepFirst(count: number): void {
    this.changes.length = count;
  }

  write(count = this.count): void {
    const changes = new Map<number, TermChange<T>>();
    for (const change of this.changes.splice(0, count)) {
      const { replaces } = changes.get(change.pk) ?? change;
      changes.set(change.pk, { ...change, replaces });
    }
    for (const { pk, replaces, terms } of changes.values()) {
      if (replaces) this.index.remove(this.database, pk);
      if (terms !== undefined) this.index.insert(this.database, pk, terms);
    }
  }
}
