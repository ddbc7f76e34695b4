import * as z from 'zod';
import type { CallOptions, Mneme } from '../../clients/typescript/src/index.ts';
import { memoryAnswer, memoryLines, memorySchema } from './memory-answer.ts';
import { CHANGES, type Tool } from './tool.ts';

const IDS_MAX = 100;
/** Most memories that are told with their texts. */
const SHOWN_MAX = 20;

const input = z
  .strictObject({
    ids: z.array(z.string().min(1)).min(1).max(IDS_MAX).optional().describe('Ids of memories, as recall gives them.'),
    filter_text: z
      .string()
      .min(1)
      .optional()
      .describe('Erases every memory that this admits, such as: session = "s1" AND event_time < 2026-01-01.'),
    dry_run: z.boolean().optional().describe('True (the default): only tells what would be erased. False: erases it.'),
  })
  .refine((given) => (given.ids === undefined) !== (given.filter_text === undefined), {
    error: 'expected ids or a filter_text, and not both',
    path: ['ids'],
  });

const output = z.object({
  dry_run: z.boolean(),
  forgotten_count: z.number().int().describe('How many are erased; of a dry run, how many would be.'),
  ids: z.array(z.string()).describe('Of the first 1,000 of them.'),
  memories: z.array(memorySchema).describe(`The first ${SHOWN_MAX} of them, as they were.`),
  missing_ids: z.array(z.string()).describe('Ids given that lead to no memory.'),
});

export const forgetTool: Tool<typeof input, typeof output> = {
  name: 'forget',
  title: 'Forget',
  description:
    'Erase memories with their history, for good, by id or by filter. Call it without dry_run first: it tells what would be erased. ' +
    'Then call it with dry_run false. What is merely no longer true should be superseded instead.',
  annotations: CHANGES,
  input,
  output,
  async run(mneme, { ids, filter_text: filterText, dry_run: dryRun = true }, options) {
    const filter = ids ? `id IN (${ids.map((id) => JSON.stringify(id)).join(', ')})` : (filterText ?? '');
    const found = await mneme.forget({ filter, dryRun: true }, options);
    // What they say is read before it is gone.
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

function forgetText({ dry_run, forgotten_count, memories, missing_ids }: z.infer<typeof output>): string {
  const count = `${forgotten_count} ${forgotten_count === 1 ? 'memory' : 'memories'}`;
  const more = forgotten_count - memories.length;
  return [
    dry_run ? `Would erase ${count}. Nothing is erased yet: call it with dry_run false.` : `Erased ${count}.`,
    ...memories.map((memory) => memoryLines(memory, '- ')),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(missing_ids.length > 0 ? [`No memory has the id ${missing_ids.join(', ')}.`] : []),
  ].join('\n');
}
