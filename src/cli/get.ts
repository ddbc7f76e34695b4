import { type Command, Option } from 'commander';
import type { MemoryView, Mneme } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { memoryLines } from './describe-memory.ts';
import { memoryJson } from './memory-json.ts';
import { print, printJson } from './output.ts';
import { memoryIds } from './parse-flag.ts';
import { wholeIds } from './whole-ids.ts';

interface GetFlags extends ClientFlags {
  readonly view: MemoryView;
  readonly touch?: boolean;
  readonly focus?: boolean;
  readonly revisions?: boolean;
}

export function defineGet(command: Command): void {
  command
    .description('Show memories by id, each with all its fields.')
    .argument('<id...>', 'ids, their first 8 characters, or full resource names', memoryIds)
    .addOption(
      new Option('--view <view>', 'how much to show; full includes the vector')
        .choices(['metadata', 'basic', 'full'])
        .default('basic'),
    )
    .option('--touch', 'count this as a use of the memory')
    .option('--focus', 'as --touch, and move it up a tier when it is used often')
    .option('--revisions', 'show every state it has had, the newest first')
    .addHelpText('after', EXAMPLES)
    .action(get);
  addClientFlags(addJsonFlag(command));
}

const EXAMPLES = `
Examples:
  $ mneme get 0190a3c2-7f5e-7cc0-b2a1-3f1b9e2d4c55
  $ mneme get 0190a3c2
  $ mneme get door-state --revisions
  $ mneme get door-state --view full --json | jq .embedding.model`;

async function get(ids: readonly string[], flags: GetFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    for (const [index, id] of (await wholeIds(mneme, ids)).entries()) {
      if (index > 0 && !flags.json) await print('');
      await (flags.revisions ? showRevisions(mneme, id, flags) : showMemory(mneme, id, flags));
    }
  });
}

async function showMemory(
  mneme: Mneme,
  id: string,
  { view, touch = false, focus = false, json }: GetFlags,
): Promise<void> {
  const memory = await mneme.get(id, { view, touch, focus });
  if (json) await printJson(memoryJson(memory));
  else await print(memoryLines(memory).join('\n'));
}

async function showRevisions(mneme: Mneme, id: string, { json }: GetFlags): Promise<void> {
  let isFirst = true;
  for await (const { memory, change } of mneme.listRevisions(id)) {
    if (json) await printJson({ change, memory: memoryJson(memory) });
    else await print(`${isFirst ? '' : '\n'}${change}\n${memoryLines(memory).join('\n')}`);
    isFirst = false;
  }
}
