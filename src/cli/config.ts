import { type Command, Option } from 'commander';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { CommandFailure, USAGE } from './failure.ts';
import { examples } from './help.ts';
import { setting, several } from './parse-flag.ts';
import { print, printJson, rows } from './terminal.ts';

export function defineConfig(command: Command): void {
  command.description(
    'Show or change settings of a running server that survive its restart: how tiers are kept, for namespaces ' +
      'without settings of their own, and the size of the recall cache. docs/tiers.md lists the keys.',
  );
  const show = command
    .command('show')
    .description('Show settings that were changed. Every other has its default.')
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
  await withClient(flags, async (mneme) => printSettings(await mneme.admin.getConfig(), flags));
}

async function change({ allowDemotion = false, ...flags }: ClientFlags & SettingFlags): Promise<void> {
  const settings = changedSettings(flags);
  if (!settings) throw new CommandFailure('nothing to change: use --set or --unset', { exitCode: USAGE });
  await withClient(flags, async (mneme) =>
    printSettings(await mneme.admin.updateConfig(settings, { allowDemotion }), flags),
  );
}

async function printSettings(settings: Readonly<Record<string, string>>, { json }: ClientFlags): Promise<void> {
  if (json) return printJson(settings);
  const set = Object.entries(settings).toSorted(([one], [other]) => (one < other ? -1 : 1));
  if (set.length === 0) return print('no settings: all defaults apply');
  return print(rows(set).join('\n'));
}

export interface SettingFlags {
  readonly set?: Readonly<Record<string, string>>;
  readonly unset?: readonly string[];
  readonly allowDemotion?: boolean;
}

/** The flag `--set`, for commands with settings. */
export function setFlag(): Option {
  const description = 'set this, such as short_term.ttl=2h; may be repeated';
  return new Option('--set <key=value>', description).argParser(setting);
}

/** For a command that changes settings. */
export function addSettingFlags(command: Command): Command {
  return command
    .addOption(setFlag())
    .option('--unset <key>', 'return this setting to its default; may be repeated', several)
    .option('--allow-demotion', 'accept limits below what tiers hold; the excess moves down');
}

/** The settings to change, with null to reset one to its default; `undefined` when there are none. */
export function changedSettings({ set = {}, unset = [] }: SettingFlags): Record<string, string | null> | undefined {
  const both = unset.filter((key) => Object.hasOwn(set, key));
  if (both.length > 0)
    throw new CommandFailure(`--set and --unset exclude each other, got both of ${both.join(', ')}`, {
      exitCode: USAGE,
    });
  const settings = { ...set, ...Object.fromEntries(unset.map((key) => [key, null])) };
  return Object.keys(settings).length > 0 ? settings : undefined;
}
