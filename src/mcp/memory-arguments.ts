import * as z from 'zod';
import type { NewMemory } from '../../clients/typescript/src/index.ts';

const TIME = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/**
 * A time, or a day, which begins at midnight UTC. In the schema that hosts show to models it is any string: the patterns of dates
 * are long, and every token of a schema is paid for in every conversation.
 */
export const timeSchema = z.string().refine((text) => TIME.safeParse(text).success, {
  error: 'expected a time such as 2026-11-21T09:00:00Z, or a day such as 2026-11-21',
});

/** What can be said of a memory beside its text. */
export const memoryFields = {
  type: z.string().optional().describe('Kind of memory: fact, message, episode, state or a word of your own.'),
  tags: z.array(z.string()).optional().describe('Labels to filter by.'),
  importance: z.number().min(0).max(1).optional().describe('How much it matters, 0 to 1.'),
  speaker: z.string().optional().describe('Who said or did it.'),
  session: z.string().optional().describe('Conversation or run that it belongs to.'),
  event_time: timeSchema
    .optional()
    .describe('When it happened: a time with zone or a day, such as 2026-11-21T09:00:00Z or 2026-11-21.'),
  valid_from: timeSchema.optional().describe('Since when it is true.'),
  valid_until: timeSchema.optional().describe('When it stops being true.'),
  expire_time: timeSchema.optional().describe('When it is to be erased.'),
};

const fieldsSchema = z.object(memoryFields);
type MemoryArguments = z.infer<typeof fieldsSchema> & { readonly text?: string | undefined };

/** The arguments as the client takes them; what is not given is absent. */
export function memoryOf(given: MemoryArguments): NewMemory {
  const { text, type, tags, importance, speaker, session } = given;
  return {
    ...(text !== undefined && { text }),
    ...(type !== undefined && { type }),
    ...(tags !== undefined && { tags }),
    ...(importance !== undefined && { importance }),
    ...(speaker !== undefined && { source: { speaker } }),
    ...(session !== undefined && { scope: { session } }),
    ...(given.event_time !== undefined && { eventTime: new Date(given.event_time) }),
    ...(given.valid_from !== undefined && { validFrom: new Date(given.valid_from) }),
    ...(given.valid_until !== undefined && { validUntil: new Date(given.valid_until) }),
    ...(given.expire_time !== undefined && { expireTime: new Date(given.expire_time) }),
  };
}
