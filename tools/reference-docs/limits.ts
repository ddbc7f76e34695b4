import type { ErrorReason } from '../../src/memory/errors.ts';
import { settingsBySubject } from '../../src/server/config/config.ts';
import type { Unit } from '../../src/server/config/setting.ts';
import { RULES } from '../../src/server/grpc/edge/status.ts';
import { table } from '../api-docs/table.ts';
import { CONVERSATION_SUBJECT } from './conversation-limits.ts';
import type { Limit } from './limit.ts';
import { REQUEST_LIMITS } from './request-limits.ts';
import { STATE_LIMITS } from './state-limits.ts';
import { withUnit } from './units.ts';

const MADE_BY = '<!-- Made by `make docs`: figures are read from src/, the rows are in tools/reference-docs. -->';

export function limitsPage(): string {
  const subjects = [...REQUEST_LIMITS, CONVERSATION_SUBJECT, ...STATE_LIMITS].map(
    ([heading, limits]) =>
      `## ${heading}\n\n${table(['Limit', 'Value', 'Changed by', 'Beyond it'], limits.map(rowOf))}`,
  );
  return `${[MADE_BY, '# Limits', INTRO, ...subjects].join('\n\n')}\n`;
}

const INTRO = `Every limit that a caller can meet, with its default where a [setting](settings.md) changes it. \`GetServerInfo.limits\` and
\`mneme stats\` tell the limits of the settings that are in force on a server.

A value beyond a limit is refused, never cut, unless the last column says otherwise. That column names the reason of the error
(\`google.rpc.ErrorInfo.reason\`; [errors](api/errors.md) has the status of each). \`FIELD_INVALID\` and \`FILTER_INVALID\` are INVALID_ARGUMENT and
name the field, the value and the limit. 1 KiB is 1,024 bytes, 1 MiB is 1,048,576 bytes. Texts are counted in bytes of UTF-8.`;

const SETTINGS = new Map(
  settingsBySubject().flatMap((group) => group.settings.map((setting) => [setting.name, setting])),
);

function rowOf({ what, value, unit = '', by, more = '', beyond }: Limit): string[] {
  const setting = by && SETTINGS.get(by);
  const amount = setting ? Number(setting.fallback) : value;
  if (amount === undefined) throw new Error(`${what}: no value`);
  const shown = typeof amount === 'string' ? amount : withUnit(amount, setting ? (setting.unit ?? '') : asUnit(unit));
  const noun = !setting && asUnit(unit) === '' && unit !== '' ? ` ${unit}` : '';
  return [what, `${shown}${noun}${more}`, setting ? `\`${setting.flag}\`` : '', beyond.map(beyondOf).join('; ')];
}

function asUnit(unit: string): Unit {
  return unit === 'ms' || unit === 'bytes' ? unit : '';
}

/** A reason in capitals is one of an error; other texts stand as they are. */
function beyondOf(text: string): string {
  if (!/^[A-Z]+(_[A-Z]+)*$/.test(text)) return text;
  if (!(text in RULES)) throw new Error(`${text} is no reason of an error`);
  return `\`${text satisfies string as ErrorReason}\``;
}
