import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { CommandFailure } from '../failure.ts';

const memory = z.object({
  id: z.string(),
  session: z.union([z.string(), z.number()]).transform(String),
  /** Start of the session; its memories share it and are in order. Without a zone it is taken as UTC. */
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
  /** Read one by one: one that is malformed does not end the set. */
  memories: z.array(z.unknown()),
  questions: z.array(question),
});

const questionSet = z.array(conversation).min(1);

export type SetMemory = z.infer<typeof memory>;
export type Question = z.infer<typeof question>;
export type Conversation = Omit<z.infer<typeof conversation>, 'memories'> & { readonly memories: readonly SetMemory[] };

export interface QuestionSet {
  readonly conversations: readonly Conversation[];
  /** What is wrong with the memories that were left out: `0.memories.17.text: ...`. */
  readonly faults: readonly string[];
}

/** Reads a set of conversations with questions; `docs/cli.md` documents the file. */
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
    const memories = part.memories.flatMap((given, place) => {
      const read = memory.safeParse(given);
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
