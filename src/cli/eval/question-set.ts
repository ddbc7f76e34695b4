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
  memories: z.array(memory),
  questions: z.array(question),
});

const questionSet = z.array(conversation).min(1);

export type SetMemory = z.infer<typeof memory>;
export type Question = z.infer<typeof question>;
export type Conversation = z.infer<typeof conversation>;

/** Reads a set of conversations with questions; `docs/cli.md` documents the file. */
export async function readQuestionSet(file: string): Promise<Conversation[]> {
  const text = await readFile(file, 'utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new CommandFailure(`${file}: not JSON: ${(cause as Error).message}`, { cause });
  }
  const parsed = questionSet.safeParse(json);
  if (parsed.success) return parsed.data.map(withoutSilence);
  const issue = parsed.error.issues[0];
  const at = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw new CommandFailure(`${file}: not a set of questions: ${at}${issue?.message}`);
}

/** A memory without text cannot be stored; no question can be answered by it either. */
function withoutSilence(part: Conversation): Conversation {
  return { ...part, memories: part.memories.filter(({ text }) => text !== '') };
}
