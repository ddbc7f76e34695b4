import * as z from 'zod';
import {
  type CallOptions,
  type Mneme,
  MnemeError,
  type RecallQuery,
  type RecallResult,
} from '../../clients/typescript/src/index.ts';
import { RELEVANT_MIN } from '../memory/relevance.ts';
import { hitAnswer, hitSchema, memoryLines } from './memory-answer.ts';

const LIMIT_DEFAULT = 10;

export const recallSchema = z.object({
  memories: z.array(hitSchema).describe('Most relevant first.'),
  nothing_relevant: z.boolean().describe('True when no memory answers.'),
  degraded: z.array(z.string()).optional().describe('Parts that could not be searched.'),
  revision: z.number().int(),
});

export type RecallAnswer = z.infer<typeof recallSchema>;

/** What tools and resources ask. */
export interface RecallArguments {
  readonly text?: string | undefined;
  readonly filterText?: string | undefined;
  readonly limit?: number | undefined;
  readonly minRelevance?: number | undefined;
  readonly asOf?: Date | undefined;
}

/** Where there is a text, what is not relevant is left out unless another bound is given. */
export function queryOf({ text, filterText, limit, minRelevance, asOf }: RecallArguments): RecallQuery {
  const bound = minRelevance ?? (text === undefined ? undefined : RELEVANT_MIN);
  return {
    limit: limit ?? LIMIT_DEFAULT,
    ...(text !== undefined && { text }),
    ...(filterText !== undefined && { filter: filterText }),
    ...(bound !== undefined && { minRelevance: bound }),
    ...(asOf !== undefined && { asOf }),
  };
}

export async function recallAnswer(mneme: Mneme, asked: RecallArguments, options: CallOptions): Promise<RecallAnswer> {
  const { hits, degraded, revision } = await recalled(mneme, queryOf(asked), options);
  return {
    memories: hits.map(hitAnswer),
    nothing_relevant: hits.length === 0,
    ...(degraded.length > 0 && { degraded: degraded.map(({ part, reason }) => `${part}: ${reason}`) }),
    revision,
  };
}

/** A namespace is made by the first memory in it: before that there is nothing in it. */
async function recalled(
  mneme: Mneme,
  query: RecallQuery,
  options: CallOptions,
): Promise<Pick<RecallResult, 'hits' | 'degraded' | 'revision'>> {
  try {
    return await mneme.recall(query, options);
  } catch (error) {
    if (!isNamespaceMissing(error)) throw error;
    return { hits: [], degraded: [], revision: 0 };
  }
}

export function isNamespaceMissing(error: unknown): boolean {
  return error instanceof MnemeError && error.reason === 'NAMESPACE_NOT_FOUND';
}

export function recallText({ memories, degraded = [] }: RecallAnswer): string {
  const blocks = memories.map((memory, at) =>
    memoryLines(memory, `${at + 1}. [relevance ${memory.relevance.toFixed(2)}] `),
  );
  const found =
    blocks.length === 0
      ? 'Nothing relevant is remembered. With min_relevance 0 you get what is nearest.'
      : blocks.join('\n');
  return [found, ...degraded.map((part) => `Not searched in full: ${part}`)].join('\n');
}
