import { type Command, Option } from 'commander';
import type { SequenceQuery } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { addFilterFlags, type FilterFlags, filterOf } from './filter-flags.ts';
import { layoutOf, memoryBlock } from './memory-block.ts';
import { memoryJson } from './memory-json.ts';
import { print, printJson } from './output.ts';
import { durationMs, memoryId, wholeNumber } from './parse-flag.ts';
import { paint } from './terminal.ts';
import { wholeId } from './whole-ids.ts';

interface SequenceFlags extends ClientFlags, FilterFlags {
  readonly before?: number;
  readonly after?: number;
  readonly window?: number;
  readonly sameType?: boolean;
  readonly sameScope?: boolean;
  readonly full?: boolean;
}

export function defineSequence(command: Command): void {
  command
    .description('Show what happened before and after a memory, in order of time.')
    .argument('<id>', 'id of the memory, or its first 8 characters', memoryId)
    .addOption(new Option('--before <n>', 'show at most so many before it (2)').argParser(wholeNumber(0, 1000)))
    .addOption(new Option('--after <n>', 'show at most so many after it (2)').argParser(wholeNumber(0, 1000)))
    .addOption(new Option('--window <span>', 'only within this time before and after it').argParser(durationMs))
    .option('--same-type', 'only memories of its type')
    .option('--same-scope', 'only memories of its scope')
    .option('--full', 'on a terminal, show long texts whole')
    .addHelpText('after', EXAMPLES)
    .action(sequence);
  addClientFlags(addFilterFlags(addJsonFlag(command)));
}

const EXAMPLES = `
Examples:
  $ mneme sequence m42 --before 3 --after 3
  $ mneme sequence m42 --window 2h --same-type`;

async function sequence(id: string, flags: SequenceFlags): Promise<void> {
  const filter = filterOf(flags);
  const query: SequenceQuery = {
    sameType: flags.sameType ?? false,
    sameScope: flags.sameScope ?? false,
    ...(filter && { filter }),
    ...(flags.before !== undefined && { beforeCount: flags.before }),
    ...(flags.after !== undefined && { afterCount: flags.after }),
    ...(flags.window !== undefined && { timeWindowMs: flags.window }),
  };
  await withClient(flags, async (mneme) => {
    const { before, memory, after } = await mneme.getSequence(await wholeId(mneme, id), query);
    if (flags.json) {
      await printJson({ before: before.map(memoryJson), memory: memoryJson(memory), after: after.map(memoryJson) });
      return;
    }
    const layout = layoutOf(flags);
    for (const earlier of before) await print(memoryBlock(earlier, layout, '  '));
    await print(memoryBlock(memory, layout, `${paint('bold', '>')} `));
    for (const later of after) await print(memoryBlock(later, layout, '  '));
  });
}
