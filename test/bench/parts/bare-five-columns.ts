import Database from 'better-sqlite3';
import { spokenDate } from '../../../src/memory/words.ts';
import { type Corpus, sessionOf, speakerOf, startedAtUs } from '../data/corpus.ts';

const LIMIT = 10;
/** Words of a neighbour that count. */
const NEIGHBOUR_WORDS = 40;

/**
 * The ten best by FTS5 alone with a memory's context in separate columns (body; speaker and date in words; the turns
 * before, after and before that): the simplest way to the results of recall.
 */
export function bareFiveColumns(file: string, { texts }: Pick<Corpus, 'texts'>): (question: string) => unknown[] {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('cache_size = -65536');
  db.exec(
    `CREATE VIRTUAL TABLE words USING fts5(body, meta, previous, next, earlier, content='', tokenize='porter unicode61')`,
  );
  const insert = db.prepare('INSERT INTO words(rowid, body, meta, previous, next, earlier) VALUES(?, ?, ?, ?, ?, ?)');
  const turn = (at: number, of: number): string =>
    sessionOf(at) === sessionOf(of) ? (texts[at] ?? '').split(' ').slice(0, NEIGHBOUR_WORDS).join(' ') : '';
  db.transaction(() => {
    for (const [at, text] of texts.entries()) {
      const meta = `${speakerOf(at)} ${spokenDate(startedAtUs(at))}`;
      insert.run(at + 1, text, meta, turn(at - 1, at), turn(at + 1, at), turn(at - 2, at));
    }
  })();
  const search = db.prepare(
    `SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, 1, 1, 0.4, 0.2, 0.2) LIMIT ${LIMIT}`,
  );
  return (question) => search.all(question.split(' ').join(' OR '));
}
