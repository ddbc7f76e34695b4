import type { Command } from 'commander';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { CommandFailure, USAGE } from './failure.ts';
import { print, printJson } from './output.ts';
import { rows } from './rows.ts';
import { addSettingFlags, changedSettings, type SettingFlags } from './setting-flags.ts';

export function defineConfig(command: Command): void {
  command.description(
    'Shows and changes settings of a running server, which outlast it: how tiers are kept of namespaces without\n' +
      'settings of their own, and of how many answers of recall copies are kept. docs/tiers.md lists the keys.',
  );
  const show = command.command('show').description('show what is set; all else is at its default').action(showAll);
  const update = addSettingFlags(command.command('update'))
    .description('set and take back; all of it or, where something is wrong, none of it')
    .action(change);
  for (const each of [show, update]) addClientFlags(addJsonFlag(each));
  command.addHelpText('after', EXAMPLES);
}

const EXAMPLES = `
Examples:
  $ mneme config show
  $ mneme config update --set short_term.memory_limit=5000 --set cache.entries=1000
  $ mneme config update --unset cache.entries`;

async function showAll(flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => tell(await mneme.admin.config(), flags));
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
