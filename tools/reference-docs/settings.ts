import { type SettingHelp, settingsBySubject } from '../../src/server/config/config.ts';
import type { Unit } from '../../src/server/config/setting.ts';
import { table } from '../api-docs/table.ts';
import { namespaceSettings } from './namespace-settings.ts';
import { withUnit } from './units.ts';

const MADE_BY = '<!-- Made by `make docs` from src/server/config/settings.ts and src/memory/tier-settings.ts. -->';

/** The page of all settings: the groups and their order are those of `mneme serve --help`. */
export function settingsPage(): string {
  const groups = settingsBySubject().map(({ heading, settings: group }) => {
    const rows = group.map((setting) => [
      setting.isSecret ? '(variable only)' : `\`${setting.flag}\``,
      `\`${setting.variable}\``,
      ...takenBy(setting),
      cell(setting.description),
    ]);
    return `## ${heading}\n\n${table(['Flag', 'Variable', 'Value', 'Default', 'Effect'], rows)}`;
  });
  return `${[MADE_BY, '# Settings', INTRO, ...groups, NAMESPACES, namespaceSettings()].join('\n\n')}\n`;
}

const INTRO = `A server is set up by flags of \`mneme serve\` and by environment variables; there is no settings file. A flag goes before its
variable, and a variable before the default. An empty variable counts as not set, an empty flag is refused.
A wrong value ends the start with one line that names the setting; \`mneme doctor\` checks the settings without starting. A variable that
begins with \`MNEME_\` and is no setting is warned of in the log.

Settings are read once, at the start, but for the tokens in \`--auth-tokens-file\`. Those that change while the server runs are [at the end](#settings-that-change-while-the-server-runs).
Secrets have a variable only, since lists of processes show flags. What a caller meets when a limit is reached is on the page of
[limits](limits.md); those in force are in \`GetServerInfo.limits\`.`;

const NAMESPACES = `## Settings that change while the server runs

These are kept in the data folder. \`mneme config update --set key=value\` (\`AdminService.UpdateConfig\`) sets them for all namespaces,
\`mneme namespaces update NAME --set key=value\` (\`NamespaceService.UpdateNamespace\`) for one, which goes before. A span of time is a number with
\`ms\`, \`s\`, \`m\`, \`h\`, \`d\` or \`w\`, at most 520w. [Tiers](tiers.md) explains what they do.`;

/** What the setting takes, and what it is when nothing is given. */
function takenBy({ expected, fallback, choices, range, unit = '' }: SettingHelp): [value: string, fallback: string] {
  const provided = fallback === '' ? 'none' : `\`${fallback}\``;
  if (range === undefined) return [choices?.map((choice) => `\`${choice}\``).join(', ') ?? expected, provided];
  const [min, max] = range;
  const isPlain = unit === '' || fallback === '0';
  return [
    `${KINDS[unit]}${withUnit(min, unit)} to ${withUnit(max, unit)}`,
    isPlain ? provided : `${provided} (${withUnit(Number(fallback), unit)})`,
  ];
}

const KINDS: Readonly<Record<Unit, string>> = {
  ms: 'milliseconds: ',
  bytes: 'bytes: ',
  '%': '',
  '': 'number: ',
};

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
