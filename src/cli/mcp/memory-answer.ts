import * as z from 'zod';
import {
  type CallOptions,
  type Memory,
  type Mneme,
  MnemeError,
  type RecallHit,
  type RecallQuery,
  type RecallResult,
  type TimeLike,
} from '../../../clients/typescript/src/index.ts';
import { machineZone } from '../../memory/time/zone.ts';
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
    valid_from: memory.validFrom?.toISOString(),
    valid_until: memory.validUntil?.toISOString(),
    ...(supersededBy && { superseded_by: supersededBy }),
    content,
    version,
  };
}

const hitSchema = memorySchema.extend({
  relevance: z.number().describe('Probability that it answers the question, 0 to 1.'),
  equal_count: z.number().optional().describe('Further memories with an equal text, which are not listed.'),
  outdated_by: z.string().optional().describe('Id of the listed memory that states a newer value of the same.'),
  is_passage: z.boolean().optional().describe('True when the text is the part of a long memory that answers best.'),
});

export type HitAnswer = z.infer<typeof hitSchema>;

function hitAnswer({ memory, relevance, equalCount, outdatedBy, passage }: RecallHit): HitAnswer {
  const isCut = passage !== undefined && passage.text.length < memory.text.length;
  return {
    ...memoryAnswer(memory),
    relevance,
    ...(equalCount > 0 && { equal_count: equalCount }),
    ...(outdatedBy && { outdated_by: outdatedBy.slice(outdatedBy.lastIndexOf('/') + 1) }),
    ...(isCut && { text: passage.text.trim(), is_passage: true }),
  };
}

/** One memory in a list for people and models: its text, followed by id, time and speaker. */
export function memoryLines(
  { id, text, type, speaker, event_time, superseded_by }: MemoryAnswer,
  lead: string,
): string {
  const author = speaker === undefined ? type : `${type} by ${speaker}`;
  const former = superseded_by === undefined ? '' : `, superseded by ${superseded_by}`;
  const indent = ' '.repeat(3);
  return `${lead}${text.replaceAll('\n', `\n${indent}`)}\n${indent}(id ${id}, ${author}, ${event_time.slice(0, 16)}Z${former})`;
}

function contentOf({ content }: Memory): unknown {
  if (content === undefined || !/[/+]json\b/.test(content.mediaType)) return undefined;
  try {
    return content.json();
  } catch (error) {
    // A caller stored it as JSON without checking it: the memory is shown without.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

const LIMIT_DEFAULT = 10;

export const recallSchema = z.object({
  memories: z.array(hitSchema).describe('Most relevant first.'),
  nothing_relevant: z.boolean().describe('True when no memory answers.'),
  low_relevance_count: z.number().int().describe('Less relevant memories left out; min_relevance 0 returns them.'),
  degraded: z.array(z.string()).optional().describe('Parts that could not be searched.'),
  revision: z.number().int(),
});

export type RecallAnswer = z.infer<typeof recallSchema>;

/** Common arguments of tools and resources. */
export interface RecallArguments {
  readonly text?: string;
  readonly filterText?: string;
  readonly limit?: number;
  readonly minRelevance?: number;
  readonly asOf?: TimeLike;
}

export function queryOf({ text, filterText, limit, minRelevance, asOf }: RecallArguments): RecallQuery {
  return { limit: limit ?? LIMIT_DEFAULT, text, filter: filterText, minRelevance, asOf, timeZone: machineZone() };
}

export async function recallAnswer(mneme: Mneme, asked: RecallArguments, options: CallOptions): Promise<RecallAnswer> {
  const { hits, degraded, lowRelevanceCount, revision } = await recalled(mneme, queryOf(asked), options);
  return {
    memories: hits.map(hitAnswer),
    nothing_relevant: hits.length === 0,
    low_relevance_count: lowRelevanceCount,
    ...(degraded.length > 0 && { degraded: degraded.map(({ part, reason }) => `${part}: ${reason}`) }),
    revision,
  };
}

/** The first memory creates a namespace: before that it is empty. */
async function recalled(
  mneme: Mneme,
  query: RecallQuery,
  options: CallOptions,
): Promise<Pick<RecallResult, 'hits' | 'degraded' | 'lowRelevanceCount' | 'revision'>> {
  try {
    return await mneme.recall(query, options);
  } catch (error) {
    if (!isNamespaceMissing(error)) throw error;
    return { hits: [], degraded: [], lowRelevanceCount: 0, revision: 0 };
  }
}

export function isNamespaceMissing(error: unknown): boolean {
  return error instanceof MnemeError && error.reason === 'NAMESPACE_NOT_FOUND';
}

function marksOf({ equal_count: count = 0, outdated_by: newer }: HitAnswer): string {
  return `${count === 0 ? '' : `, ×${count + 1}`}${newer === undefined ? '' : `, outdated by ${newer}`}`;
}

export function recallText({ memories, low_relevance_count: leftOut, degraded = [] }: RecallAnswer): string {
  const blocks = memories.map((memory, at) =>
    memoryLines(memory, `${at + 1}. [relevance ${memory.relevance.toFixed(2)}${marksOf(memory)}] `),
  );
  const nearest = leftOut === 0 ? '' : ` Use min_relevance 0 to get the nearest memories (${leftOut}).`;
  if (blocks.length === 0) blocks.push(`Nothing relevant is remembered.${nearest}`);
  else if (leftOut > 0) blocks.push(`${leftOut} less relevant left out; min_relevance 0 returns them.`);
  return [...blocks, ...degraded.map((part) => `Not searched in full: ${part}`)].join('\n');
}
