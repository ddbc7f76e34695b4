import { readFile } from 'node:fs/promises';
import type { NewMemory } from '../../clients/typescript/src/index.ts';

interface Part {
  readonly conversation_id: string;
  readonly memories: readonly {
    id: string;
    session: string | number;
    date_iso: string;
    speaker: string;
    text: string;
  }[];
  readonly questions: readonly { id: string; text: string }[];
}

/** The streamed conversations, and the questions during the stream. */
export interface Talk {
  readonly turns: readonly NewMemory[];
  readonly queries: readonly string[];
}

/** Conversations of a set of questions (`tools/eval/README.md` documents the file), and questions from all over them. */
export async function readTalk(file: string, conversationCount: number, queryCount: number): Promise<Talk> {
  const parts = (JSON.parse(await readFile(file, 'utf8')) as Part[]).slice(0, conversationCount);
  const questions = parts.flatMap((part) => part.questions.map(({ text }) => text));
  const step = Math.max(1, Math.floor(questions.length / queryCount));
  return {
    turns: parts.flatMap(turnsOf),
    queries: questions.filter((_, at) => at % step === 0).slice(0, queryCount),
  };
}

function turnsOf({ conversation_id, memories }: Part): NewMemory[] {
  const spoken = memories.filter(({ text }) => text !== '');
  return spoken.map(({ id, session, date_iso, speaker, text }, at) => ({
    text,
    eventTime: new Date(Date.parse(`${date_iso.replace(/Z$/, '')}Z`) + at * 1000),
    scope: { session: `${conversation_id}/${session}` },
    source: { uri: id, ...(speaker === '' ? {} : { speaker }) },
  }));
}
