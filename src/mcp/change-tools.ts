import * as z from 'zod';
import type { MemoryChanges, Mneme } from '../../clients/typescript/src/index.ts';
import { memoryFields, memoryOf } from './memory-arguments.ts';
import { memoryUri } from './resource-uris.ts';
import { ADDS, CHANGES, type Tool } from './tool.ts';

const id = z.string().min(1).describe('Id of the memory, as recall gives it.');
const ifVersion = z
  .number()
  .int()
  .min(1)
  .optional()
  .describe('Only when this is still its version, as recall gives it.');

/** What can be cleared, and the field that it stands for. */
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
    tags: memoryFields.tags.describe('New tags; they take the place of all former ones.'),
    clear: z.array(z.enum(CLEARABLE_NAMES)).optional().describe('Fields to remove.'),
    if_version: ifVersion,
  })
  .refine(({ id: _, if_version: __, ...changes }) => Object.keys(changes).length > 0, {
    error: 'expected a change beside it: a text, tags, or what to clear',
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
  async run(mneme, { id: given, clear = [], if_version, ...fields }, options) {
    const cleared = Object.fromEntries(clear.map((name) => [CLEARABLE[name], null]));
    const changes = { ...memoryOf(fields), ...cleared };
    const { merged, version } = await mergedWithFormer(mneme, given, changes);
    const condition = if_version ?? version;
    const { id: updated, version: now } = await mneme.update(given, merged, {
      ...options,
      ...(condition !== undefined && { ifVersion: condition }),
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
  async run(mneme, { id: given, if_version, ...fields }, options) {
    const {
      id: stored,
      version,
      superseded,
    } = await mneme.supersede(given, memoryOf(fields), {
      ...options,
      ...(if_version !== undefined && { ifVersion: if_version }),
    });
    const structured = { id: stored, uri: memoryUri(mneme.namespace, stored), version, superseded_id: superseded.id };
    return { text: `Remembered as ${stored}, in place of ${superseded.id}.`, structured };
  },
};

/** The source is stored whole: what is not given of it is taken from the memory as it is, under the condition that it stays so. */
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
