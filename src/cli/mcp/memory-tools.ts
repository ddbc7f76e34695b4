import * as z from 'zod';
import type { CallOptions, MemoryChanges, Mneme, NewMemory } from '../../../clients/typescript/src/index.ts';
import { RELEVANT_MIN } from '../../memory/recall-settings.ts';
import { memoryAnswer, memoryLines, memorySchema, recallAnswer, recallSchema, recallText } from './memory-answer.ts';
import { memoryUri, RECALL_LIMIT_MAX } from './resource-uris.ts';
import { ADDS, CHANGES, READS, type Tool } from './tool.ts';

const TIME = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/**
 * A time, or a day, which begins at midnight UTC. In the schema that hosts show to models it is any string: the patterns of dates
 * are long, and every token of a schema is paid for in every conversation.
 */
const timeSchema = z.string().refine((text) => TIME.safeParse(text).success, {
  error: 'expected a time such as 2026-11-21T09:00:00Z, or a day such as 2026-11-21',
});

/** A memory that has expired is not stored. */
const futureSchema = timeSchema.refine((text) => !(Date.parse(text) <= Date.now()), {
  error: () => `expected a time in the future; it is ${new Date().toISOString()} now`,
});

const EXPIRE_TIME = 'When it is to be erased.';

/** Fields of a memory, in addition to its text. */
const memoryFields = {
  type: z.string().optional().describe('Kind of memory: fact, message, episode, state or a word of your own.'),
  tags: z.array(z.string()).optional().describe('Labels to filter by.'),
  importance: z.number().min(0).max(1).optional().describe('How much it matters, 0 to 1.'),
  speaker: z.string().optional().describe('The speaker or actor.'),
  session: z.string().optional().describe('Conversation or run that it belongs to.'),
  event_time: timeSchema
    .optional()
    .describe('When it happened: a time with zone or a day, such as 2026-11-21T09:00:00Z or 2026-11-21.'),
  valid_from: timeSchema.optional().describe('Since when it is true.'),
  valid_until: timeSchema.optional().describe('When it stops being true.'),
  expire_time: futureSchema.optional().describe(EXPIRE_TIME),
};

const fieldsSchema = z.object(memoryFields);
type MemoryArguments = z.infer<typeof fieldsSchema> & { readonly text?: string };

/** The arguments in the form of the client; unset arguments are absent. */
function memoryOf(provided: MemoryArguments): NewMemory {
  const { text, type, tags, importance, speaker, session } = provided;
  return {
    ...(text !== undefined && { text }),
    ...(type !== undefined && { type }),
    ...(tags !== undefined && { tags }),
    ...(importance !== undefined && { importance }),
    ...(speaker !== undefined && { source: { speaker } }),
    ...(session !== undefined && { scope: { session } }),
    ...(provided.event_time !== undefined && { eventTime: provided.event_time }),
    ...(provided.valid_from !== undefined && { validFrom: provided.valid_from }),
    ...(provided.valid_until !== undefined && { validUntil: provided.valid_until }),
    ...(provided.expire_time !== undefined && { expireTime: provided.expire_time }),
  };
}

/** Maximum number of memories that one call stores. */
const BATCH_MAX = 100;

const text = z.string().min(1).describe('One statement in plain language that can be understood by itself.');
const memory = z.strictObject({ text, ...memoryFields });

const rememberInput = z
  .strictObject({
    text: text.optional(),
    ...memoryFields,
    memories: z
      .array(memory)
      .min(1)
      .max(BATCH_MAX)
      .optional()
      .describe('Several memories at once, in place of text: all of them are stored or none.'),
  })
  .refine((provided) => (provided.text === undefined) !== (provided.memories === undefined), {
    error: 'expected a text, or memories for several at once, and not both',
    path: ['text'],
  })
  .refine((provided) => provided.memories === undefined || Object.keys(provided).length === 1, {
    error: 'expected no other argument with it: each memory has its own tags, type and so on',
    path: ['memories'],
  });

const rememberOutput = z.object({
  memories: z.array(z.object({ id: z.string(), uri: z.string(), version: z.number().int() })),
});

export const rememberTool: Tool<typeof rememberInput, typeof rememberOutput> = {
  name: 'remember',
  title: 'Remember',
  description:
    'Store a memory, or several at once, so that it can be recalled later, also in other conversations. ' +
    'It is stored durably when this answers. To correct something that is remembered, use supersede or update.',
  annotations: ADDS,
  aliases: { memory: 'text', content: 'text' },
  input: rememberInput,
  output: rememberOutput,
  async run(mneme, { memories, ...single }, options) {
    const receipts = memories
      ? await mneme.batchStore(memories.map(memoryOf), options)
      : [await mneme.store(memoryOf(single), options)];
    const stored = receipts.map(({ id, version }) => ({ id, uri: memoryUri(mneme.namespace, id), version }));
    const ids = stored.map(({ id }) => id).join(', ');
    return {
      text: stored.length === 1 ? `Remembered as ${ids}.` : `Remembered ${stored.length} memories: ${ids}.`,
      structured: { memories: stored },
    };
  },
};

const recallInput = z
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
      .describe(`Omits less relevant memories. Default ${RELEVANT_MIN} with a text; 0 includes everything.`),
    as_of: timeSchema.optional().describe('Recalls what was true at this time, including memories superseded since.'),
  })
  .refine((provided) => provided.text !== undefined || provided.filter_text !== undefined, {
    error: 'expected a text, or a filter_text',
    path: ['text'],
  });

export const recallTool: Tool<typeof recallInput, typeof recallSchema> = {
  name: 'recall',
  title: 'Recall',
  description:
    'Find the memories that answer a question, best first, each with its relevance (0 to 1: the probability that it answers). ' +
    'Says so when nothing relevant is remembered: then do not guess. What is superseded or no longer valid is left out.',
  annotations: READS,
  aliases: { query: 'text', question: 'text' },
  input: recallInput,
  output: recallSchema,
  async run(mneme, { text, limit, filter_text: filterText, min_relevance: minRelevance, as_of: asOf }, options) {
    const asked = { text, limit, filterText, minRelevance, asOf };
    const answer = await recallAnswer(mneme, asked, options);
    return { text: recallText(answer), structured: answer };
  },
};

const id = z.string().min(1).describe('Id of the memory, as recall gives it.');
const ifVersion = z
  .number()
  .int()
  .min(1)
  .optional()
  .describe('Only when this is still its version, as recall gives it.');

/** Fields that can be cleared, by argument. */
const CLEARABLE = {
  tags: 'tags',
  valid_from: 'validFrom',
  valid_until: 'validUntil',
  expire_time: 'expireTime',
  superseded_by: 'supersededBy',
} as const satisfies Readonly<Record<string, keyof MemoryChanges>>;
const CLEARABLE_NAMES = Object.keys(CLEARABLE) as (keyof typeof CLEARABLE)[];

const receipt = { id: z.string(), uri: z.string(), version: z.number().int() };
const updateInput = z
  .strictObject({
    id,
    text: z.string().min(1).optional().describe('New text.'),
    ...memoryFields,
    tags: memoryFields.tags.describe('New tags; they replace all former ones.'),
    clear: z.array(z.enum(CLEARABLE_NAMES)).optional().describe('Fields to remove.'),
    if_version: ifVersion,
  })
  .refine(({ id: _, if_version: __, ...changes }) => Object.keys(changes).length > 0, {
    error: 'expected a change with it: a text, tags, or fields to clear',
    path: ['id'],
  });
const updateOutput = z.object(receipt);

export const updateTool: Tool<typeof updateInput, typeof updateOutput> = {
  name: 'update',
  title: 'Update a memory',
  description:
    'Change what is given of a memory and keep the rest, such as its tags or importance, or a mistake in its text. ' +
    'Where the world has changed, use supersede: it keeps what was true before.',
  annotations: CHANGES,
  input: updateInput,
  output: updateOutput,
  async run(mneme, { id: provided, clear = [], if_version, ...fields }, options) {
    const cleared = Object.fromEntries(clear.map((name) => [CLEARABLE[name], null]));
    const changes = { ...memoryOf(fields), ...cleared };
    const { merged, version } = await mergedWithFormer(mneme, provided, changes);
    const condition = if_version ?? version;
    const { id: updated, version: now } = await mneme.update(provided, merged, {
      ...options,
      ifVersion: condition,
    });
    const structured = { id: updated, uri: memoryUri(mneme.namespace, updated), version: now };
    return { text: `Updated ${updated}, version ${now}.`, structured };
  },
};

const supersedeInput = z.strictObject({
  id,
  text: z.string().min(1).describe('What is true now: one statement that can be understood by itself.'),
  ...memoryFields,
  if_version: ifVersion,
});
const supersedeOutput = z.object({ ...receipt, superseded_id: z.string() });

export const supersedeTool: Tool<typeof supersedeInput, typeof supersedeOutput> = {
  name: 'supersede',
  title: 'Supersede a memory',
  description:
    'Store a memory that takes the place of another one, because something has changed. The other one is not recalled any more, ' +
    'except with as_of. What is not said of type, session and speaker is as before.',
  annotations: ADDS,
  input: supersedeInput,
  output: supersedeOutput,
  async run(mneme, { id: provided, if_version, ...fields }, options) {
    const {
      id: stored,
      version,
      superseded,
    } = await mneme.supersede(provided, memoryOf(fields), {
      ...options,
      ifVersion: if_version,
    });
    const structured = { id: stored, uri: memoryUri(mneme.namespace, stored), version, superseded_id: superseded.id };
    return { text: `Remembered as ${stored}, in place of ${superseded.id}.`, structured };
  },
};

/**
 * The source is stored as a whole: its unset parts are copied from the memory, on condition that it does not change.
 */
async function mergedWithFormer(mneme: Mneme, id: string, changes: MemoryChanges) {
  if (!changes.source && !changes.scope) return { merged: changes, version: undefined };
  const { source, scope, version } = await mneme.get(id);
  const merged = {
    ...changes,
    ...(changes.source && { source: { ...source, ...changes.source } }),
    ...(changes.scope && { scope: { ...scope, ...changes.scope } }),
  };
  return { merged, version };
}

const IDS_MAX = 100;
/** Most memories that are returned with their texts. */
const SHOWN_MAX = 20;

const forgetInput = z
  .strictObject({
    ids: z.array(z.string().min(1)).min(1).max(IDS_MAX).optional().describe('Ids of memories, as recall gives them.'),
    filter_text: z
      .string()
      .min(1)
      .optional()
      .describe('Erases every memory that this admits, such as: session = "s1" AND event_time < 2026-01-01.'),
    dry_run: z.boolean().optional().describe('True (the default): only tells what would be erased. False: erases it.'),
  })
  .refine((provided) => (provided.ids === undefined) !== (provided.filter_text === undefined), {
    error: 'expected ids or a filter_text, and not both',
    path: ['ids'],
  });

const forgetOutput = z.object({
  dry_run: z.boolean(),
  forgotten_count: z.number().int().describe('How many are erased; of a dry run, how many would be.'),
  ids: z.array(z.string()).describe('Of the first 1,000 of them.'),
  memories: z.array(memorySchema).describe(`The first ${SHOWN_MAX} of them, as they were.`),
  missing_ids: z.array(z.string()).describe('Ids given that lead to no memory.'),
});

export const forgetTool: Tool<typeof forgetInput, typeof forgetOutput> = {
  name: 'forget',
  title: 'Forget',
  description:
    'Erase memories with their history, for good, by id or by filter. Call it without dry_run first: it tells what would be erased. ' +
    'Then call it with dry_run false. What is merely no longer true should be superseded instead.',
  annotations: CHANGES,
  input: forgetInput,
  output: forgetOutput,
  async run(mneme, { ids, filter_text: filterText, dry_run: dryRun = true }, options) {
    const filter = ids ? `id IN (${ids.map((id) => JSON.stringify(id)).join(', ')})` : (filterText ?? '');
    const found = await mneme.forget({ filter, dryRun: true }, options);
    // The texts must be read before they are deleted.
    const memories = await shown(mneme, found.ids, options);
    const forgotten = dryRun ? found : await mneme.forget({ filter }, options);
    const missing = (ids ?? []).filter((id) => !found.ids.includes(id));
    const count = forgotten.forgottenCount;
    const structured = {
      dry_run: dryRun,
      forgotten_count: count,
      ids: [...forgotten.ids],
      memories,
      missing_ids: missing,
    };
    return { text: forgetText(structured), structured };
  },
};

async function shown(mneme: Mneme, ids: readonly string[], options: CallOptions) {
  if (ids.length === 0) return [];
  const { memories } = await mneme.batchGet(ids.slice(0, SHOWN_MAX), options);
  return memories.map(memoryAnswer);
}

function forgetText({ dry_run, forgotten_count, memories, missing_ids }: z.infer<typeof forgetOutput>): string {
  const count = `${forgotten_count} ${forgotten_count === 1 ? 'memory' : 'memories'}`;
  const more = forgotten_count - memories.length;
  return [
    dry_run ? `Would erase ${count}. Nothing is erased yet: call it with dry_run false.` : `Erased ${count}.`,
    ...memories.map((memory) => memoryLines(memory, '- ')),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(missing_ids.length > 0 ? [`No memory has the id ${missing_ids.join(', ')}.`] : []),
  ].join('\n');
}
