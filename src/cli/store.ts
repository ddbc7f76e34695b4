import type { Command } from 'commander';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { addMemoryFlags, type MemoryFlags, memoryOf, textOf } from './memory-flags.ts';
import { print, printJson } from './output.ts';
import { tellDegraded } from './tell-degraded.ts';

interface StoreFlags extends ClientFlags, MemoryFlags {
  readonly id?: string;
}

export function defineStore(command: Command): void {
  command
    .description('Store one memory and print its id. Without a text, or with "-", the text is read from stdin.')
    .argument('[text...]', 'what to remember, in plain language')
    .option('--id <id>', 'id of the memory (a new UUID)')
    .addHelpText('after', EXAMPLES)
    .action(store);
  addClientFlags(addJsonFlag(addMemoryFlags(command, { defaults: true })));
}

const EXAMPLES = `
Examples:
  $ mneme store "Caroline plays the cello." --speaker Caroline
  $ mneme store "The boiler was serviced." --event-time yesterday
  $ mneme store --content '{"door":"open"}' --type state --step 12
  $ git log -1 --format=%B | mneme store --type episode --tag commit --ttl 30d`;

async function store(words: readonly string[], flags: StoreFlags): Promise<void> {
  const text = await textOf(words, flags);
  const memory = { ...memoryOf(text, flags), ...(flags.id !== undefined && { id: flags.id }) };
  await withClient(flags, async (mneme) => {
    const receipt = await mneme.store(memory);
    await (flags.json ? printJson(receipt) : print(receipt.id));
    tellDegraded(receipt.degraded);
  });
}
