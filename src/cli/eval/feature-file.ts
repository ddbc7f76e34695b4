import { writeFile } from 'node:fs/promises';
import type { RecallHit } from '../../../clients/typescript/src/index.ts';
import { CommandFailure } from '../failure.ts';
import type { Question } from './question-set.ts';

/** Hits to ask for, so that every candidate that the server's ranker looked at is among them. */
export const CANDIDATES_MAX = 1000;

interface QuestionRows {
  readonly set: string;
  readonly id: string;
  readonly conversation: string;
  readonly category: string;
  /** Number of memories that answer it. */
  readonly evidence: number;
  readonly rows: number;
  /** Rows of memories that answer it. */
  readonly relevant: readonly number[];
}

/** What the server's ranker saw of each question's candidates, for `tools/train_ranker.py`. No text is kept. */
export class FeatureFile {
  private readonly set: string;
  private names: readonly string[] = [];
  private readonly rows: Float32Array[] = [];
  private readonly questions: QuestionRows[] = [];

  /** `set` is the name by which the figures of the set are told. */
  constructor(set: string) {
    this.set = set;
  }

  /** `ids` are those of the hits as the set has them. */
  add(
    conversation: string,
    { id, category, evidence }: Question,
    hits: readonly RecallHit[],
    ids: readonly string[],
  ): void {
    const answers = new Set(evidence);
    const relevant: number[] = [];
    let rows = 0;
    for (const [place, { features }] of hits.entries()) {
      if (features.length === 0) continue;
      this.rows.push(this.rowOf(features));
      if (answers.has(ids[place] ?? '')) relevant.push(rows);
      rows++;
    }
    this.questions.push({ set: this.set, id, conversation, category, evidence: answers.size, rows, relevant });
  }

  /** Writes `<path>.bin`, the rows one after the other as little-endian float32, and `<path>.json`, which tells what they are. */
  async write(path: string): Promise<void> {
    if (this.names.length === 0) {
      throw new CommandFailure('--features: the server explains no feature: it must serve with --ranker learned');
    }
    await writeFile(`${path}.bin`, Buffer.concat(this.rows.map(({ buffer }) => Buffer.from(buffer))));
    await writeFile(`${path}.json`, `${JSON.stringify({ names: this.names, questions: this.questions })}\n`);
  }

  /** Features come heaviest first; rows have them by name. */
  private rowOf(features: RecallHit['features']): Float32Array<ArrayBuffer> {
    const sorted = features.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    if (this.names.length === 0) this.names = sorted.map(({ name }) => name);
    return Float32Array.from(sorted, ({ value }) => value);
  }
}
