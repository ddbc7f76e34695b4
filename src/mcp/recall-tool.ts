import * as z from 'zod';
import { RELEVANT_MIN } from '../memory/relevance.ts';
import { timeSchema } from './memory-arguments.ts';
import { recallAnswer, recallSchema, recallText } from './recall-answer.ts';
import { RECALL_LIMIT_MAX } from './resource-uris.ts';
import { READS, type Tool } from './tool.ts';

const input = z
  .strictObject({
    text: z.string().min(1).optional().describe('What you want to know, as a question or in key words.'),
    limit: z.number().int().min(1).max(RECALL_LIMIT_MAX).optional().describe('Most memories to return. Default 10.'),
    filter_text: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Which memories may be returned, such as: type = "fact" AND tags:music AND event_time >= 2026-11-01. ' +
          'Fields: id, type, text, tags, importance, speaker, session, event_time, create_time, content.KEY.',
      ),
    min_relevance: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(`Leaves out what is less relevant. Default ${RELEVANT_MIN} with a text; 0 takes in everything.`),
    as_of: timeSchema.optional().describe('Recalls what was true at this time, also what is superseded since.'),
  })
  .refine((given) => given.text !== undefined || given.filter_text !== undefined, {
    error: 'expected a text, or a filter_text',
    path: ['text'],
  });

export const recallTool: Tool<typeof input, typeof recallSchema> = {
  name: 'recall',
  title: 'Recall',
  description:
    'Find the memories that answer a question, best first, each with its relevance (0 to 1: the probability that it answers). ' +
    'Says so when nothing relevant is remembered: then do not guess. What is superseded or no longer valid is left out.',
  annotations: READS,
  input,
  output: recallSchema,
  async run(mneme, { text, limit, filter_text: filterText, min_relevance: minRelevance, as_of: asOf }, options) {
    const asked = { text, limit, filterText, minRelevance, asOf: asOf === undefined ? undefined : new Date(asOf) };
    const answer = await recallAnswer(mneme, asked, options);
    return { text: recallText(answer), structured: answer };
  },
};
