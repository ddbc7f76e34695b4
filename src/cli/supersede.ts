import type { Command } from 'commander';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { examples } from './help-style.ts';
import { addMemoryFlags, type MemoryFlags, memoryOf, textOf } from './memory-flags.ts';
import { print, printJson } from './output.ts';
import { memoryId, wholeNumber } from './parse-flag.ts';
import { wholeId } from './whole-ids.ts';

interface SupersedeFlags extends ClientFlags, MemoryFlags {
  readonly ifVersion?: number;
}

export function defineSupersede(command: Command): void {
  addMemoryFlags(
    command
      .description(
        'Store a memory that takes the place of another one, and print its id. The other one is not found any more ' +
          'unless you ask with --as-of or --include-invalid. What you do not say of scope, type and source is as before.',
      )
      .argument('<id>', 'memory that is superseded: id, its first 8 characters, or full resource name', memoryId)
      .argument('[text...]', 'what is true now, in plain language'),
    { defaults: false },
  )
    .option(
      '--if-version <n>',
      'only when this is still its version, as "mneme get" shows it',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .addHelpText('after', EXAMPLES)
    .action(supersede);
  addClientFlags(addJsonFlag(command));
}

const EXAMPLES = examples(
  'mneme supersede m1 "Ada lives in Berlin."',
  'mneme supersede m1 "Ada lives in Berlin." --valid-from 2026-10-01',
  'mneme recall "Where does Ada live?" --as-of 2026-09-01',
  'mneme update m1 --clear superseded-by --clear valid-until   # takes it back',
);

async function supersede(id: string, words: readonly string[], flags: SupersedeFlags): Promise<void> {
  const memory = memoryOf(await textOf(words, flags), flags);
  await withClient(flags, async (mneme) => {
    const receipt = await mneme.supersede(
      await wholeId(mneme, id),
      memory,
      flags.ifVersion === undefined ? {} : { ifVersion: flags.ifVersion },
    );
    await (flags.json ? printJson(receipt) : print(receipt.id));
  });
}
