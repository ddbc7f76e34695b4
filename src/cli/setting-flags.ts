import { type Command, Option } from 'commander';
import { CommandFailure, USAGE } from './failure.ts';
import { setting, several } from './parse-flag.ts';

export interface SettingFlags {
  readonly set?: Readonly<Record<string, string>>;
  readonly unset?: readonly string[];
  readonly allowDemotion?: boolean;
}

/** `--set` for what has settings. */
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

/** What is to be set, with null where a setting goes back to its default; `undefined` when nothing is to change. */
export function changedSettings({ set = {}, unset = [] }: SettingFlags): Record<string, string | null> | undefined {
  const both = unset.filter((key) => Object.hasOwn(set, key));
  if (both.length > 0)
    throw new CommandFailure(`--set and --unset exclude each other, got both of ${both.join(', ')}`, {
      exitCode: USAGE,
    });
  const settings = { ...set, ...Object.fromEntries(unset.map((key) => [key, null])) };
  return Object.keys(settings).length > 0 ? settings : undefined;
}
