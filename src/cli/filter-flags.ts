import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Tier } from '../../clients/typescript/src/index.ts';
import { parseFilter } from '../memory/filter-text/parse-filter.ts';
import { FilterTextError } from '../memory/filter-text/scanner.ts';
import { parseJson } from '../memory/json.ts';
import { CommandFailure, INPUT_REFUSED } from './failure.ts';
import { endTime, numberFrom, several, tier, time } from './parse-flag.ts';

/** Flags that select memories. */
export interface FilterFlags {
  readonly type?: readonly string[];
  readonly speaker?: readonly string[];
  readonly project?: readonly string[];
  readonly agent?: readonly string[];
  readonly session?: readonly string[];
  readonly tag?: readonly string[];
  readonly tier?: readonly Tier[];
  readonly since?: Date;
  readonly until?: Date;
  readonly minImportance?: number;
  readonly content?: readonly ContentCondition[];
  readonly filter?: string;
}

interface ContentCondition {
  readonly path: string;
  readonly value: string | number | boolean | null;
}

export function addFilterFlags(command: Command): Command {
  const group = (flags: string, description: string) =>
    new Option(flags, description).helpGroup('Which memories (repeat a flag for "any of these"):');
  return command
    .addOption(group('--filter <text>', 'that this admits, such as \'type = "state" AND step >= 10\''))
    .addOption(group('--type <word>', 'of this type').argParser(several))
    .addOption(group('--speaker <name>', 'said or done by this speaker').argParser(several))
    .addOption(group('--project <name>', 'of this project').argParser(several))
    .addOption(group('--agent <name>', 'of this agent').argParser(several))
    .addOption(group('--session <name>', 'of this session').argParser(several))
    .addOption(group('--tag <tag>', 'with this tag').argParser(several))
    .addOption(group('--tier <tier>', 'in this tier: short_term, intermediate or long_term').argParser(tiers))
    .addOption(group('--since <time>', 'that happened then or later, see "mneme help times"').argParser(time))
    .addOption(group('--until <time>', 'that happened before; a day is included').argParser(endTime))
    .addOption(group('--min-importance <n>', 'of at least this importance, 0 to 1').argParser(numberFrom(0, 1)))
    .addOption(
      group('--content <path=value>', 'whose JSON content has this value at this path').argParser(contentCondition),
    );
}

/** No time lies outside; the last day of 9999 ends, and the first of the year 1 begins in some zones, outside of what filters name. */
const YEARS = { from: new Date('0001-01-01T00:00:00Z'), until: new Date('+010000-01-01T00:00:00Z') };

/** All flags combined with AND, as text; values of a repeated flag are combined with OR. `undefined` without flags. */
export function filterOf(flags: FilterFlags): string | undefined {
  const { filter, since, until, minImportance, content = [] } = flags;
  const conditions = [
    anyOf('type', flags.type),
    anyOf('speaker', flags.speaker),
    anyOf('project', flags.project),
    anyOf('agent', flags.agent),
    anyOf('session', flags.session),
    anyOf('tags', flags.tag),
    anyOf('tier', flags.tier),
    since && since >= YEARS.from ? `event_time >= ${since.toISOString()}` : undefined,
    until && until < YEARS.until ? `event_time < ${until.toISOString()}` : undefined,
    minImportance === undefined ? undefined : `importance >= ${minImportance}`,
    ...content.map(({ path, value }) => `${contentPath(path)} = ${JSON.stringify(value)}`),
  ].filter((condition) => condition !== undefined);
  // A single filter is sent as it was typed, so that errors have its columns.
  if (conditions.length === 0) return filter;
  if (filter !== undefined) checkAlone(filter);
  return [...(filter === undefined ? [] : [`(${filter})`]), ...conditions].join(' AND ');
}

/** Combined with other conditions it is put in parentheses: its errors are reported at columns of the typed text. */
function checkAlone(filter: string): void {
  try {
    parseFilter(filter);
  } catch (error) {
    if (!(error instanceof FilterTextError)) throw error;
    const failure = { exitCode: INPUT_REFUSED, code: 'INVALID_ARGUMENT', cause: error } as const;
    throw new CommandFailure(`--filter: ${error.message}`, failure);
  }
}

function anyOf(field: string, values: readonly string[] | undefined): string | undefined {
  return values && `${field} IN (${values.map((value) => JSON.stringify(value)).join(', ')})`;
}

/** The path of keys joined by dots, where a backslash escapes a dot or a backslash inside a key. */
function contentPath(dotted: string): string {
  const keys = [''];
  for (const [sign] of dotted.matchAll(/\\.|[^.\\]+|./gs)) {
    if (sign === '.') keys.push('');
    else keys[keys.length - 1] += sign.startsWith('\\') ? sign.slice(1) : sign;
  }
  return ['content', ...keys.map((key) => JSON.stringify(key))].join('.');
}

function tiers(text: string, before: readonly Tier[] = []): Tier[] {
  return [...before, tier(text)];
}

/** A value that parses as a JSON number, truth value or null is one; any other value is text, as is a quoted one. */
function contentCondition(text: string, before: readonly ContentCondition[] = []): ContentCondition[] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Expected path=value, such as position.room=hall.');
  const raw = text.slice(at + 1);
  const isScalar = /^(?:-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null|".*")$/s.test(raw);
  const value = isScalar ? (parseJson(raw) as ContentCondition['value']) : raw;
  return [...before, { path: text.slice(0, at), value }];
}

/** Flags that select states. */
export interface StateFlags {
  readonly stateType: string;
}

export function addStateFlags(command: Command): Command {
  return command.option('--state-type <word>', 'type of the memories that hold states', 'state');
}
