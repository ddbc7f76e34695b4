import * as z from 'zod';
import { badInput } from '../../../clients/typescript/src/bad-input.ts';
import type { Content, Json, WorkingEntry, WorkingKey } from '../../../clients/typescript/src/index.ts';
import { EXACT_TOOL, unmarked } from './exact-integers.ts';
import { ADDS, CHANGES, READS, type Tool } from './tool.ts';

const KEYS_MAX = 100;

export const sessionSchema = z
  .string()
  .min(1)
  .describe('Id of the session: one conversation or run, such as trip-to-lyon.');
const key = z.string().min(1).describe('Name of the value, such as plan.');
const keys = z.array(z.string().min(1)).min(1).max(KEYS_MAX);

const keySchema = z.object({
  key: z.string(),
  version: z.number().int(),
  bytes: z.number().int(),
  expire_time: z.string().optional(),
});
const entrySchema = keySchema.extend({
  value: z.unknown().describe('JSON; text as a string; other bytes in base64.'),
  media_type: z.string(),
});

const setInput = z.strictObject({
  session: sessionSchema,
  key,
  value: z.unknown().describe('Any JSON value.'),
  ttl_seconds: z.number().int().min(1).optional().describe('Deletes it after so many seconds.'),
  if_version: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Only when this is its version; 0: only when it is not there.'),
});

export const setTool: Tool<typeof setInput, typeof keySchema> = {
  name: EXACT_TOOL,
  title: 'Set a value of working memory',
  description:
    'Keep a value of a session under a key, such as a plan or the state of a task. It replaces a former one. ' +
    'Working memory is read by key; use remember for facts to be recalled by meaning.',
  annotations: CHANGES,
  input: setInput,
  output: keySchema,
  async run(mneme, { session, key: name, value, ttl_seconds: ttl, if_version: ifVersion }, options) {
    refuseRounded(value, 'value');
    const written = await mneme.session(session).set(name, (unmarked(value) ?? null) as Json, {
      ...options,
      expiry: ttl === undefined ? undefined : { ttlMs: ttl * 1000 },
      ifVersion,
    });
    return { text: `Set ${name}, version ${written.version}.`, structured: keyAnswer(written) };
  },
};

/** A number beyond 2^53 that `exactArguments` has not marked: with a fraction or an exponent, it may have been rounded. */
function refuseRounded(value: unknown, field: string): void {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw badInput(
      field,
      'must be within ±(2^53 - 1), or an integer with all its digits: another number would be rounded',
    );
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    refuseRounded(part, Array.isArray(value) ? `${field}[${name}]` : `${field}.${name}`);
  }
}

const getInput = z.strictObject({ session: sessionSchema, keys: keys.describe('Which keys.') });
const getOutput = z.object({ values: z.array(entrySchema), missing: z.array(z.string()) });

export const getTool: Tool<typeof getInput, typeof getOutput> = {
  name: 'working_memory_get',
  title: 'Read working memory',
  description: 'Read values of a session by key.',
  annotations: READS,
  input: getInput,
  output: getOutput,
  async run(mneme, { session, keys: names }, options) {
    const { entries, missing } = await mneme.session(session).batchGet(names, options);
    const values = entries.map(entryAnswer);
    const lines = values.map(({ key: name, value }) => `${name}: ${JSON.stringify(value)}`);
    return {
      text: [...lines, ...missing.map((name) => `${name} is not there`)].join('\n'),
      structured: { values, missing: [...missing] },
    };
  },
};

const LISTED_MAX = 1000;
const listInput = z.strictObject({
  session: sessionSchema,
  pattern: z.string().optional().describe('Which keys, such as user:*. Default: all.'),
});
const listOutput = z.object({
  keys: z.array(keySchema),
  has_more: z.boolean().describe(`True when there are more than ${LISTED_MAX}: narrow it by a pattern.`),
});

export const listTool: Tool<typeof listInput, typeof listOutput> = {
  name: 'working_memory_list',
  title: 'List working memory',
  description: 'List the keys of a session.',
  annotations: READS,
  input: listInput,
  output: listOutput,
  async run(mneme, { session, pattern }, options) {
    const found: WorkingKey[] = [];
    for await (const each of mneme.session(session).listKeys(pattern, options)) {
      found.push(each);
      if (found.length > LISTED_MAX) break;
    }
    const listed = found.slice(0, LISTED_MAX).map(keyAnswer);
    return {
      text: listed.length === 0 ? 'No keys.' : listed.map(({ key: name }) => name).join('\n'),
      structured: { keys: listed, has_more: found.length > LISTED_MAX },
    };
  },
};

const deleteInput = z.strictObject({ session: sessionSchema, keys: keys.describe('Which keys.') });
const deleteOutput = z.object({ deleted: z.array(z.string()), missing: z.array(z.string()) });

export const deleteTool: Tool<typeof deleteInput, typeof deleteOutput> = {
  name: 'working_memory_delete',
  title: 'Delete from working memory',
  description: 'Delete values of a session by key.',
  annotations: CHANGES,
  input: deleteInput,
  output: deleteOutput,
  async run(mneme, { session, keys: names }, options) {
    const working = mneme.session(session);
    const unique = [...new Set(names)];
    const deleted: string[] = [];
    for (const name of unique) if (await working.delete(name, options)) deleted.push(name);
    const missing = unique.filter((name) => !deleted.includes(name));
    const absent = missing.length > 0 ? ` Not there: ${missing.join(', ')}.` : '';
    return { text: `Deleted ${deleted.join(', ') || 'nothing'}.${absent}`, structured: { deleted, missing } };
  },
};

const noteInput = z.strictObject({
  session: sessionSchema,
  notes: z.array(z.string().min(1)).min(1).max(KEYS_MAX).describe('The notes, in order.'),
});
const noteOutput = z.object({
  first_sequence: z.number().int(),
  dropped_count: z.number().int().describe('Oldest notes that were dropped because the limit was reached.'),
});

export const addNotesTool: Tool<typeof noteInput, typeof noteOutput> = {
  name: 'notes_add',
  title: 'Add notes',
  description: 'Append to the notes of a session: steps taken, findings, open questions.',
  annotations: ADDS,
  input: noteInput,
  output: noteOutput,
  async run(mneme, { session, notes }, options) {
    const { firstSequence, droppedCount } = await mneme.session(session).appendScratchpad(notes, options);
    return {
      text: `Noted as ${firstSequence}${notes.length > 1 ? ` to ${firstSequence + notes.length - 1}` : ''}.`,
      structured: { first_sequence: firstSequence, dropped_count: droppedCount },
    };
  },
};

const NOTES_MAX = 200;
const notesInput = z.strictObject({
  session: sessionSchema,
  limit: z
    .number()
    .int()
    .min(1)
    .max(NOTES_MAX)
    .optional()
    .describe('Maximum number of notes, newest first. Default 50.'),
});
const notesOutput = z.object({
  notes: z
    .array(z.object({ sequence: z.number().int(), time: z.string(), text: z.string() }))
    .describe('Oldest first.'),
});

export const listNotesTool: Tool<typeof notesInput, typeof notesOutput> = {
  name: 'notes_list',
  title: 'Read notes',
  description: 'Read the newest notes of a session.',
  annotations: READS,
  input: notesInput,
  output: notesOutput,
  async run(mneme, { session, limit = 50 }, options) {
    const newest: { sequence: number; time: string; text: string }[] = [];
    for await (const { sequence, time, content } of mneme
      .session(session)
      .listScratchpad({ order: 'newest' }, options)) {
      newest.push({ sequence, time: time.toISOString(), text: String(plainValue(content)) });
      if (newest.length === limit) break;
    }
    const notes = newest.reverse();
    const lines = notes.map(({ sequence, text }) => `${sequence}. ${text}`);
    return { text: lines.join('\n') || 'No notes.', structured: { notes } };
  },
};

function keyAnswer({ key: name, version, bytes, expireTime }: WorkingKey): z.infer<typeof keySchema> {
  return { key: name, version, bytes, expire_time: expireTime?.toISOString() };
}

function entryAnswer(entry: WorkingEntry): z.infer<typeof entrySchema> {
  return { ...keyAnswer(entry), value: plainValue(entry.value), media_type: entry.value.mediaType };
}

function plainValue(content: Content): unknown {
  if (content.mediaType === 'application/json') return content.json();
  return content.mediaType.startsWith('text/') ? content.text() : Buffer.from(content.data).toString('base64');
}
