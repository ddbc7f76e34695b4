import * as z from 'zod';
import { memoryFields, memoryOf } from './memory-arguments.ts';
import { memoryUri } from './resource-uris.ts';
import { ADDS, type Tool } from './tool.ts';

/** Most memories that one call stores. */
const BATCH_MAX = 100;

const text = z.string().min(1).describe('One statement in plain language that can be understood by itself.');
const memory = z.strictObject({ text, ...memoryFields });

const input = z
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
  .refine((given) => (given.text === undefined) !== (given.memories === undefined), {
    error: 'expected a text, or memories for several at once, and not both',
    path: ['text'],
  })
  .refine((given) => given.memories === undefined || Object.keys(given).length === 1, {
    error: 'expected nothing beside it: each memory has its own tags, type and so on',
    path: ['memories'],
  });

const output = z.object({
  memories: z.array(z.object({ id: z.string(), uri: z.string(), version: z.number().int() })),
  degraded: z.array(z.string()).optional().describe('Tiers that could not take them, and where they are instead.'),
});

export const rememberTool: Tool<typeof input, typeof output> = {
  name: 'remember',
  title: 'Remember',
  description:
    'Store a memory, or several at once, so that it can be recalled later, also in other conversations. ' +
    'It is stored durably when this answers. To correct something that is remembered, use supersede or update.',
  annotations: ADDS,
  input,
  output,
  async run(mneme, { memories, ...single }, options) {
    const receipts = memories
      ? await mneme.batchStore(memories.map(memoryOf), options)
      : [await mneme.store(memoryOf(single), options)];
    const degraded = receipts[0]?.degraded?.map(({ part, reason, storedIn }) => `${part}: ${reason}; in ${storedIn}`);
    const stored = receipts.map(({ id, version }) => ({ id, uri: memoryUri(mneme.namespace, id), version }));
    const ids = stored.map(({ id }) => id).join(', ');
    return {
      text: stored.length === 1 ? `Remembered as ${ids}.` : `Remembered ${stored.length} memories: ${ids}.`,
      structured: { memories: stored, ...(degraded && { degraded }) },
    };
  },
};
