import { type Command, Option } from 'commander';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { addFilterFlags, type FilterFlags, filterOf } from './filter-flags.ts';
import { examples } from './help-style.ts';
import { validityOf } from './list.ts';
import { print, printJson } from './output.ts';
import { time } from './parse-flag.ts';

interface CountFlags extends ClientFlags, FilterFlags {
  readonly current?: boolean;
  readonly asOf?: Date;
}

export function defineCount(command: Command): void {
  command
    .description('Count memories, exactly.')
    .option('--current', 'leave out what is superseded or not valid now')
    .addOption(new Option('--as-of <time>', 'count what was valid then, see "mneme help times"').argParser(time))
    .addHelpText('after', EXAMPLES)
    .action(count);
  addClientFlags(addFilterFlags(addJsonFlag(command)));
}

const EXAMPLES = examples(
  'mneme count',
  `mneme count --filter 'type = "state" AND step >= 10'`,
  'mneme count --tag travel --current',
);

async function count(flags: CountFlags): Promise<void> {
  const filter = filterOf(flags);
  await withClient(flags, async (mneme) => {
    const counted = await mneme.count({ ...validityOf(flags), ...(filter && { filter }) });
    await (flags.json ? printJson(counted) : print(`${counted.count}`));
  });
}
