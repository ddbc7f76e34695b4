import { type Command, InvalidArgumentError, Option } from 'commander';
import { and, type Filter, path, type Tier, where } from '../../clients/typescript/src/index.ts';
import { numberFrom, several, tier, time } from './parse-flag.ts';

/** Flags that say which memories. */
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
}

interface ContentCondition {
  readonly path: string;
  readonly value: string | number | boolean | null;
}

export function addFilterFlags(command: Command): Command {
  const group = (flags: string, description: string) =>
    new Option(flags, description).helpGroup('Which memories (repeat a flag for "any of these"):');
  return command
    .addOption(group('--type <word>', 'of this type').argParser(several))
    .addOption(group('--speaker <name>', 'said or done by this speaker').argParser(several))
    .addOption(group('--project <name>', 'of this project').argParser(several))
    .addOption(group('--agent <name>', 'of this agent').argParser(several))
    .addOption(group('--session <name>', 'of this session').argParser(several))
    .addOption(group('--tag <tag>', 'with this tag').argParser(several))
    .addOption(group('--tier <tier>', 'in this tier: short_term, intermediate or long_term').argParser(tiers))
    .addOption(group('--since <time>', 'that happened then or later, see "mneme help times"').argParser(time))
    .addOption(group('--until <time>', 'that happened before').argParser(time))
    .addOption(group('--min-importance <n>', 'of at least this importance, 0 to 1').argParser(numberFrom(0, 1)))
    .addOption(
      group('--content <path=value>', 'whose JSON content has this value at this path').argParser(contentCondition),
    );
}

/** All of the flags given must hold; of one that is given several times, any. `undefined` when none is given. */
export function filterOf(flags: FilterFlags): Filter | undefined {
  const conditions = [
    anyOf(flags.type, where.type),
    anyOf(flags.speaker, where.speaker),
    anyOf(flags.project, where.project),
    anyOf(flags.agent, where.agent),
    anyOf(flags.session, where.session),
    anyOf(flags.tag, where.tag),
    anyOf(flags.tier, where.tier),
    flags.since && where.eventTime.greaterOrEqual(flags.since),
    flags.until && where.eventTime.less(flags.until),
    flags.minImportance === undefined ? undefined : where.importance.greaterOrEqual(flags.minImportance),
    ...(flags.content ?? []).map(({ path: dotted, value }) =>
      value === null ? path(dotted).isNull() : path(dotted).equals(value),
    ),
  ].filter((condition) => condition !== undefined);
  return conditions.length > 1 ? and(...conditions) : conditions[0];
}

function anyOf<T extends string>(values: readonly T[] | undefined, field: { in(values: readonly T[]): Filter }) {
  return values && field.in(values);
}

function tiers(text: string, before: readonly Tier[] = []): Tier[] {
  return [...before, tier(text)];
}

/** A value that reads as a JSON number, truth value or null is one; anything else is text, as is what is in quotes. */
function contentCondition(text: string, before: readonly ContentCondition[] = []): ContentCondition[] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Expected path=value, such as position.room=hall.');
  const raw = text.slice(at + 1);
  const isScalar = /^(?:-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null|".*")$/s.test(raw);
  const value = isScalar ? (JSON.parse(raw) as ContentCondition['value']) : raw;
  return [...before, { path: text.slice(0, at), value }];
}
