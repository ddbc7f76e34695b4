import type { Command } from 'commander';
import { addClientFlags, addJsonFlag, type ClientFlags, refuseNamespaceWithAll, withClient } from './client-flags.ts';
import { examples } from './help.ts';
import { counted, print, printJson } from './terminal.ts';

interface CacheFlags extends ClientFlags {
  readonly all?: boolean;
}

export function defineCache(command: Command): void {
  command.description(
    'Show or clear the cache of recall answers, which never gives an outdated answer. ' +
      'docs/recall-cache.md describes the cache and how to switch it on.',
  );
  const show = command.command('show').description('Show how many answers are kept and how often they were used.');
  const clear = command.command('clear').description('Clear the answers of the namespace.');
  clear.option('--all', 'clear the cache of all namespaces');
  addClientFlags(addJsonFlag(show.addHelpText('after', examples('mneme cache show')).action(showCache)));
  const cleared = examples('mneme cache clear', 'mneme cache clear --all');
  addClientFlags(addJsonFlag(clear.addHelpText('after', cleared).action(clearCache)));
  command.addHelpText('after', EXAMPLES);
}

const EXAMPLES = `
Examples:
  $ mneme cache show
  $ mneme cache clear --all`;

async function showCache(flags: CacheFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const { recallCache: cache } = await mneme.admin.getServerStatistics();
    if (flags.json) return printJson(cache ?? {});
    if (!cache || cache.maxEntries === 0)
      return print('the cache is off: "mneme config update --set cache.entries=1000" switches it on');
    const { entryCount, maxEntries, entryBytes, maxBytes, hitCount, missCount, bypassedCount } = cache;
    const asked = hitCount + missCount;
    const share = asked === 0 ? '' : ` (${((100 * hitCount) / asked).toFixed(1)} %)`;
    await print(`answers   ${entryCount} of ${maxEntries}, ${entryBytes} of ${maxBytes} bytes`);
    await print(`hits      ${hitCount} of ${asked}${share}; ${bypassedCount} could not be cached`);
  });
}

async function clearCache(flags: CacheFlags, command: Command): Promise<void> {
  refuseNamespaceWithAll(flags, command);
  await withClient(flags, async (mneme) => {
    const cleared = await mneme.admin.clearRecallCache(flags.all ? undefined : mneme.namespace);
    if (flags.json) await printJson(cleared);
    else await print(`cleared ${counted(cleared.clearedCount, 'answer')}, ${cleared.clearedBytes} bytes`);
  });
}
