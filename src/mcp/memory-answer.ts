import * as z from 'zod';
import type { Memory, RecallHit } from '../../clients/typescript/src/index.ts';
import { memoryUri } from './resource-uris.ts';

/** A memory as tools and resources answer it. */
export const memorySchema = z.object({
  id: z.string(),
  uri: z.string().describe('Resource with the whole memory.'),
  text: z.string(),
  type: z.string(),
  tags: z.array(z.string()),
  importance: z.number(),
  speaker: z.string().optional(),
  session: z.string().optional(),
  event_time: z.string(),
  valid_from: z.string().optional(),
  valid_until: z.string().optional(),
  superseded_by: z.string().optional(),
  content: z.unknown().optional().describe('Structured content, when it is JSON.'),
  version: z.number().int(),
});

export type MemoryAnswer = z.infer<typeof memorySchema>;

export function memoryAnswer(memory: Memory): MemoryAnswer {
  const { id, namespace, text, type, tags, importance, source, scope, version, supersededBy } = memory;
  const content = contentOf(memory);
  return {
    id,
    uri: memoryUri(namespace, id),
    text,
    type,
    tags: [...tags],
    importance,
    ...(source.speaker && { speaker: source.speaker }),
    ...(scope.session && { session: scope.session }),
    event_time: memory.eventTime.toISOString(),
    ...(memory.validFrom && { valid_from: memory.validFrom.toISOString() }),
    ...(memory.validUntil && { valid_until: memory.validUntil.toISOString() }),
    ...(supersededBy && { superseded_by: supersededBy }),
    ...(content !== undefined && { content }),
    version,
  };
}

export const hitSchema = memorySchema.extend({
  relevance: z.number().describe('Probability that it answers the question, 0 to 1.'),
  is_passage: z.boolean().optional().describe('True when the text is the part of a long memory that answers best.'),
});

export type HitAnswer = z.infer<typeof hitSchema>;

export function hitAnswer({ memory, relevance, passage }: RecallHit): HitAnswer {
  const isCut = passage !== undefined && passage.text.length < memory.text.length;
  return { ...memoryAnswer(memory), relevance, ...(isCut && { text: passage.text.trim(), is_passage: true }) };
}

/** One memory in a list for people and models: its text, and below it the id, when and who. */
export function memoryLines(
  { id, text, type, speaker, event_time, superseded_by }: MemoryAnswer,
  lead: string,
): string {
  const who = speaker === undefined ? type : `${type} by ${speaker}`;
  const former = superseded_by === undefined ? '' : `, superseded by ${superseded_by}`;
  const indent = ' '.repeat(3);
  return `${lead}${text.replaceAll('\n', `\n${indent}`)}\n${indent}(id ${id}, ${who}, ${event_time.slice(0, 16)}Z${former})`;
}

function contentOf({ content }: Memory): unknown {
  if (content === undefined || !/[/+]json\b/.test(content.mediaType)) return undefined;
  try {
    return content.json();
  } catch (error) {
    // Stored as JSON by somebody who did not check it: the memory is shown without.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
