import { type Command, Option } from 'commander';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { eventBlock, eventJson } from './describe-change.ts';
import { addFilterFlags, type FilterFlags, filterOf } from './filter-flags.ts';
import { layoutOf } from './memory-block.ts';
import { print, printJson } from './output.ts';
import { wholeNumber } from './parse-flag.ts';
import { tellAwaited } from './tell-awaited.ts';
import { toldBreaks } from './told-breaks.ts';

interface WatchFlags extends ClientFlags, FilterFlags {
  readonly from?: number;
  readonly touched?: boolean;
  readonly moved?: boolean;
  readonly count?: number;
  readonly full?: boolean;
  readonly once?: boolean;
}

export function defineWatch(command: Command): void {
  command
    .description('Print every change of a namespace as it happens, in order. Ends with Ctrl-C.')
    .addOption(
      new Option('--from <revision>', 'begin with this revision (the next change)').argParser(
        wholeNumber(1, Number.MAX_SAFE_INTEGER),
      ),
    )
    .option('--touched', 'also print that memories were used, as by --touch')
    .option('--moved', 'also print moves between tiers that the filter does not ask for')
    .addOption(new Option('--count <n>', 'end after so many changes').argParser(wholeNumber(1, 1_000_000_000)))
    .option('--full', 'on a terminal, show long texts whole')
    .option('--once', 'end when all past changes are printed')
    .addHelpText('after', EXAMPLES)
    .action(watch);
  addClientFlags(addFilterFlags(addJsonFlag(command)));
}

const EXAMPLES = `
Examples:
  $ mneme watch
  $ mneme watch --session s1 --type fact
  $ mneme watch --from 1 --once --json`;

async function watch(flags: WatchFlags): Promise<void> {
  const filter = filterOf(flags);
  const query = {
    ...(filter ? { filter } : {}),
    ...(flags.from === undefined ? {} : { startRevision: flags.from }),
    includeTouched: flags.touched ?? false,
    includeMoved: flags.moved ?? false,
  };
  await withClient(flags, async (mneme) => {
    await tellAwaited(mneme);
    const layout = layoutOf(flags);
    let count = 0;
    for await (const event of mneme.watch(query, toldBreaks())) {
      if (event.kind === 'caught_up') {
        if (flags.once) return;
        if (!flags.json && count === 0) process.stderr.write(`watching from revision ${event.revision} on\n`);
        continue;
      }
      await (flags.json ? printJson(eventJson(event)) : print(eventBlock(event, layout)));
      if (event.kind !== 'relisting' && ++count === flags.count) return;
    }
  });
}
