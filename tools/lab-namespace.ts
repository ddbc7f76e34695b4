import { readFileSync } from 'node:fs';
import { PooledVector } from '../src/embedding/static/pooled-vector.ts';
import type { TokenTable } from '../src/embedding/static/token-table.ts';
import type { WordPiece } from '../src/embedding/static/word-piece.ts';
import { spokenDate } from '../src/memory/spoken-date.ts';
import { termsOf, wordsOf } from '../src/memory/words.ts';
import type { KeywordIndex } from '../src/recall/keyword-index.ts';
import { searchKeywords } from '../src/recall/keyword-lane.ts';
import { NamespaceColumns } from '../src/recall/namespace-columns.ts';
import { queryTermsOf } from '../src/recall/query-terms.ts';
import type { Asked } from '../src/recall/ranking/gather.ts';
import { RankedMemories } from '../src/recall/ranking/ranked-memories.ts';
import { SessionContext } from '../src/recall/session-context.ts';

export interface Conversation {
  readonly conversation_id: string;
  readonly memories: readonly {
    id: string;
    session: string | number;
    date_iso: string;
    speaker: string;
    text: string;
  }[];
  readonly questions: readonly { id: string; text: string; category: string; evidence: string[] }[];
}

export function readSet(path: string): Conversation[] {
  return JSON.parse(readFileSync(path, 'utf8')) as Conversation[];
}

/** The namespace of several conversations together. */
export function pooledOf(set: readonly Conversation[], id: string): Conversation {
  return {
    conversation_id: id,
    memories: set.flatMap((c) => c.memories.map((m) => ({ ...m, session: `${c.conversation_id}/${m.session}` }))),
    questions: set.flatMap((c) => c.questions),
  };
}

const ROLES = new Set(['user', 'assistant', 'system', 'agent', 'human', 'ai', 'bot', 'tool']);
const PEOPLE_MAX = 25;

interface Posting {
  readonly sequence: number;
  body: number;
  meta: number;
}

/** The full-text index of the store, in memory: the same terms, the same BM25 (fts5_aux.c) with the length of both columns. */
class LabIndex implements KeywordIndex {
  readonly postings = new Map<string, Posting[]>();
  readonly lengths: number[] = [];
  private total = 0;

  add(sequence: number, body: readonly string[], meta: readonly string[]): void {
    this.lengths[sequence] = body.length + meta.length;
    this.total += body.length + meta.length;
    for (const [terms, column] of [
      [body, 'body'],
      [meta, 'meta'],
    ] as const) {
      for (const term of terms) {
        let list = this.postings.get(term);
        if (!list) {
          list = [];
          this.postings.set(term, list);
        }
        let last = list.at(-1);
        if (last?.sequence !== sequence) {
          last = { sequence, body: 0, meta: 0 };
          list.push(last);
        }
        last[column]++;
      }
    }
  }

  meanLength(): number {
    return this.total / this.lengths.length;
  }

  documentFrequency(_: number, term: string): number {
    return this.postings.get(term)?.length ?? 0;
  }

  matches(_: number, term: string, _frequency: number, each: (key: number, saturation: number) => void): void {
    const mean = this.meanLength();
    for (const { sequence, body, meta } of this.postings.get(term) ?? []) {
      const count = body + meta;
      const norm = 1.2 * (0.25 + (0.75 * (this.lengths[sequence] ?? 0)) / mean);
      if (count > 0) each(sequence, (count * 2.2) / (count + norm));
    }
  }
}

/** A conversation as the engine would hold it. */
export class LabNamespace {
  readonly columns = new NamespaceColumns();
  readonly memories: RankedMemories;
  readonly index = new LabIndex();
  readonly speakerNames: string[] = [];
  private readonly nameWords = new Set<string>();
  private readonly pooled: PooledVector;

  constructor(conversation: Conversation, table: TokenTable, tokenizer: WordPiece) {
    this.memories = new RankedMemories(table, tokenizer);
    this.pooled = new PooledVector(table, tokenizer);
    conversation.memories.forEach((m, at) => {
      const eventAtUs =
        (Date.parse(m.date_iso.includes('T') ? `${m.date_iso.slice(0, 19)}Z` : m.date_iso) + at * 1000) * 1000;
      const row = { key: at, session: String(m.session), speaker: m.speaker, importance: 0, superseded: false };
      this.columns.put(at, { ...row, eventAtUs, expiresAtUs: Number.POSITIVE_INFINITY });
      this.speakerNames[this.columns.speakerOf(at)] = m.speaker;
      this.memories.put(at, m.text);
      this.index.add(at, termsOf(m.text), termsOf(`${m.speaker} ${spokenDate(eventAtUs)}`));
    });
    if (this.speakerNames.length <= PEOPLE_MAX) {
      for (const name of this.speakerNames)
        for (const word of wordsOf(name)) if (!ROLES.has(word)) this.nameWords.add(word);
    }
  }

  ask(text: string, vectorLane = true): Asked {
    const { words, terms } = queryTermsOf(text);
    const namespace = { key: 0, firstKey: 0, size: this.columns.size, end: this.columns.end };
    const keyword = searchKeywords(this.index, namespace, terms, { explain: false }).scores;
    const named = this.columns.speakers.named(words);
    const context = new SessionContext();
    context.read({ scores: keyword, columns: this.columns, named, weight: 1 });
    let keywordCeiling = 0;
    for (const term of terms) {
      const frequency = this.index.documentFrequency(0, term);
      const n = this.columns.size;
      if (frequency > 0) keywordCeiling += 2.2 * Math.log(1 + Math.max(0, n - frequency + 0.5) / (frequency + 0.5));
    }
    return {
      text,
      keyword,
      context: context.totals,
      keywordCeiling,
      names: this.nameWords,
      named,
      isPerson: (speaker) => !/^(assistant|system|tool|bot|ai)$/i.test(this.speakerNames[speaker] ?? ''),
      vectorHits: vectorLane ? this.vectorHits(text) : [],
    };
  }

  cosines(text: string): Float32Array {
    const content = wordsOf(text).filter((word) => !this.nameWords.has(word));
    const asked = this.pooled.ofText(content.join(' ')) ?? new Float32Array(256);
    return Float32Array.from({ length: this.columns.size }, (_, at) => this.memories.vectors.cosine(at, asked));
  }

  private vectorHits(text: string): number[] {
    const scores = this.cosines(text);
    return [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b).slice(0, 100);
  }
}
