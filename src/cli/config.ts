import type { Command } from 'commander';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { CommandFailure, USAGE } from './failure.ts';
import { examples } from './help-style.ts';
import { print, printJson } from './output.ts';
import { rows } from './rows.ts';
import { addSettingFlags, changedSettings, type SettingFlags } from './setting-flags.ts';

export function defineConfig(command: Command): void {
  command.description(
    'Show or change settings of a running server that survive its restart: how tiers are kept, for namespaces ' +
      'without settings of their own, and the size of the recall cache. docs/tiers.md lists the keys.',
  );
  const show = command
    .command('show')
    .description('Show what is set. Everything else has its default.')
    .addHelpText('after', examples('mneme config show'))
    .action(showAll);
  const update = addSettingFlags(command.command('update'))
    .description('Set values or return them to their defaults: all of them or, when one is wrong, none.')
    .addHelpText(
      'after',
      examples('mneme config update --set cache.entries=1000', 'mneme config update --unset cache.entries'),
    )
    .action(change);
  for (const each of [show, update]) addClientFlags(addJsonFlag(each));
  command.addHelpText('after', EXAMPLES);
}

const EXAMPLES = `
Examples:
  $ mneme config show
  $ mneme config update --set short_term.memory_limit=5000
  $ mneme config update --unset cache.entries`;

async function showAll(flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => tell(await mneme.admin.getConfig(), flags));
}

async function change({ allowDemotion = false, ...flags }: ClientFlags & SettingFlags): Promise<void> {
  const settings = changedSettings(flags);
  if (!settings) throw new CommandFailure('nothing to change: give --set or --unset', { exitCode: USAGE });
  await withClient(flags, async (mneme) => tell(await mneme.admin.updateConfig(settings, { allowDemotion }), flags));
}

async function tell(settings: Readonly<Record<string, string>>, { json }: ClientFlags): Promise<void> {
  if (json) return printJson(settings);
  const set = Object.entries(settings).toSorted(([one], [other]) => (one < other ? -1 : 1));
  if (set.length === 0) return print('nothing is set: all is at its default');
  return print(rows(set).join('\n'));
}
