import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { RecallHit } from '../../clients/typescript/src/index.ts';
import { CommandFailure } from '../../src/cli/failure.ts';

const memory = z.object({
  id: z.string(),
  session: z.union([z.string(), z.number()]).transform(String),
  /** Start of the session; its memories share it and are in order. UTC where no zone is specified. */
  date_iso: z.string(),
  speaker: z.string(),
  text: z.string(),
});

const question = z.object({
  id: z.string(),
  text: z.string(),
  category: z.string(),
  /** Ids of the memories that answer it. */
  evidence: z.array(z.string()).min(1),
});

const conversation = z.object({
  conversation_id: z.string(),
  /** Validated one by one: a malformed memory does not invalidate the set. */
  memories: z.array(z.unknown()),
  questions: z.array(question),
});

const questionSet = z.array(conversation).min(1);

export type SetMemory = z.infer<typeof memory>;
export type Question = z.infer<typeof question>;
export type Conversation = Omit<z.infer<typeof conversation>, 'memories'> & { readonly memories: readonly SetMemory[] };

export interface QuestionSet {
  readonly conversations: readonly Conversation[];
  /** Errors of the omitted memories: `0.memories.17.text: ...`. */
  readonly faults: readonly string[];
}

/** Reads a set of conversations with questions; `README.md` documents the file. */
export async function readQuestionSet(file: string): Promise<QuestionSet> {
  const text = await readFile(file, 'utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new CommandFailure(`${file}: not JSON: ${(cause as Error).message}`, { cause });
  }
  const parsed = questionSet.safeParse(json);
  if (!parsed.success) throw new CommandFailure(`${file}: not a set of questions: ${faultOf(parsed.error)}`);
  const faults: string[] = [];
  const conversations = parsed.data.map((part, at) => {
    const memories = part.memories.flatMap((provided, place) => {
      const read = memory.safeParse(provided);
      if (!read.success) faults.push(faultOf(read.error, [at, 'memories', place]));
      return read.success ? [read.data] : [];
    });
    return withoutSilence({ ...part, memories });
  });
  return { conversations, faults };
}

function faultOf({ issues: [issue] }: z.ZodError, within: readonly PropertyKey[] = []): string {
  const path = [...within, ...(issue?.path ?? [])];
  return `${path.length === 0 ? '' : `${path.join('.')}: `}${issue?.message}`;
}

/** A memory without text cannot be stored; no question can be answered by it either. */
function withoutSilence(part: Conversation): Conversation {
  return { ...part, memories: part.memories.filter(({ text }) => text !== '') };
}

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

/** Features of each question's candidates in the server's ranker, for `tools/train_ranker.py`. No text is written. */
export class FeatureFile {
  private readonly set: string;
  private names: readonly string[] = [];
  private readonly rows: Float32Array[] = [];
  private readonly questions: QuestionRows[] = [];

  /** `set` is the name of the set in the figures. */
  constructor(set: string) {
    this.set = set;
  }

  /** `ids` are the hits' ids in the set. */
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

  /** Writes `<path>.bin`, the rows one after the other as little-endian float32, and `<path>.json`, which describes them. */
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
