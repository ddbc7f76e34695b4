import { type Command, Option } from 'commander';
import type { Fact, FactHistory, Scope } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { confirmed, YES } from './confirm.ts';
import { eachOrNone, orEmpty, usage } from './failure.ts';
import { examples } from './help.ts';
import { memoryId, memoryIds, numberFrom, several, time, wholeNumber } from './parse-flag.ts';
import { counted, paint, print, printable, printJson } from './terminal.ts';
import { wholeIds } from './whole-ids.ts';

interface ScopeFlags {
  readonly project?: string;
  readonly agentType?: string;
  readonly agent?: string;
  readonly session?: string;
}

export function defineFacts(command: Command): void {
  command.description('Assert facts, and show current and former facts and their times.');
  for (const define of [defineFactList, defineHistory, defineAssert, defineUndo, defineForget]) {
    addClientFlags(addJsonFlag(define(command)));
  }
  command.addHelpText('after', EXAMPLES);
}

const EXAMPLES = `
Examples:
  $ mneme facts assert user home_city Lisbon
  $ mneme facts list --subject user
  $ mneme facts list --as-of 2026-03-01
  $ mneme facts history user home_city
  $ mneme facts undo 0190a3c2
  $ mneme facts forget --subject user --attribute home_city`;

function addScopeFlags(command: Command): Command {
  const scope = (flags: string, description: string) => new Option(flags, description).helpGroup('Whose facts:');
  return command
    .addOption(scope('--project <name>', 'of this project'))
    .addOption(scope('--agent-type <name>', 'of agents of this type'))
    .addOption(scope('--agent <name>', 'of this agent'))
    .addOption(scope('--session <name>', 'of this session'));
}

function scopeOf({ project, agentType, agent, session }: ScopeFlags): { readonly scope?: Scope } {
  const parts = Object.entries({ project, agentType, agent, session }).filter(([, part]) => part !== undefined);
  return parts.length === 0 ? {} : { scope: Object.fromEntries(parts) };
}

interface ListFlags extends ClientFlags, ScopeFlags {
  readonly subject?: string;
  readonly attribute?: string;
  readonly asOf?: Date;
  readonly asOfRecorded?: Date;
  readonly superseded?: boolean;
  readonly limit: number;
}

function defineFactList(command: Command): Command {
  const list = command
    .command('list')
    .description('List the facts that hold now, the newest first.')
    .addOption(new Option('--subject <name>', 'of this subject, such as user'))
    .addOption(new Option('--attribute <name>', 'of this attribute, such as home_city'))
    .addOption(new Option('--as-of <time>', 'facts that held then, see "mneme help times"').argParser(time))
    .addOption(new Option('--as-of-recorded <time>', 'facts as they were known then').argParser(time))
    .option('--superseded', 'also facts that do not hold')
    .addOption(
      new Option('--limit <n>', 'list at most so many').default(50).argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
    )
    .addHelpText('after', examples('mneme facts list --subject user', 'mneme facts list --superseded --json'))
    .action(listFacts);
  return addScopeFlags(list);
}

async function listFacts(flags: ListFlags): Promise<void> {
  const { subject, attribute, asOf, asOfRecorded, superseded = false, limit, json } = flags;
  const query = {
    ...scopeOf(flags),
    subject,
    attribute,
    asOf,
    asOfRecorded,
    includeSuperseded: superseded,
    pageSize: Math.min(limit, 500),
  };
  await withClient(flags, async (mneme) => {
    let count = 0;
    for await (const fact of eachOrNone(mneme.facts.list(query))) {
      await (json ? printJson(fact) : print(lineOf(fact)));
      count += 1;
      if (count === limit) break;
    }
    if (count === 0) process.stderr.write('no facts\n');
  });
}

function lineOf({ id, subject, attribute, value, confidence, supersededBy, validFrom, validUntil }: Fact): string {
  const until = validUntil === undefined ? '' : ` until ${day(validUntil)}`;
  const rest = `${confidence.toFixed(2)}  since ${day(validFrom)}${until}${supersededBy === undefined ? '' : '  superseded'}`;
  return `${paint('dim', id.slice(0, 8))}  ${printable(subject)} ${printable(attribute)}: ${printable(value)}  ${paint('dim', rest)}`;
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}

function defineHistory(command: Command): Command {
  const history = command
    .command('history')
    .argument('<subject>', 'subject of the facts, such as user')
    .argument('<attribute>', 'attribute, such as home_city')
    .description('Show every value that an attribute of a subject had, and when it was so.')
    .addHelpText('after', examples('mneme facts history user home_city'))
    .action(showHistory);
  return addScopeFlags(history);
}

async function showHistory(subject: string, attribute: string, flags: ClientFlags & ScopeFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const history = await mneme.facts.listHistory(subject, attribute, scopeOf(flags));
    if (flags.json) return printJson(history);
    for (const one of history.facts) await print(historyLine(one));
    if (history.forgottenCount > 0) await print(paint('dim', `${counted(history.forgottenCount, 'fact')} forgotten`));
    if (history.facts.length + history.forgottenCount === 0) process.stderr.write('no facts\n');
  });
}

function historyLine({ fact, withdrawn }: FactHistory['facts'][number]): string {
  const until = fact.validUntil === undefined ? 'now' : day(fact.validUntil);
  const state = withdrawn ? '  undone' : fact.supersededBy === undefined ? '' : '  superseded';
  const span = `${day(fact.validFrom)} – ${until.padEnd(10)}`;
  return `${paint('dim', fact.id.slice(0, 8))}  ${span}  ${printable(fact.value)}${paint('dim', state)}`;
}

interface AssertFlags extends ClientFlags, ScopeFlags {
  readonly text?: string;
  readonly confidence?: number;
  readonly source?: readonly string[];
  readonly from?: Date;
  readonly until?: Date;
  readonly replaces?: boolean;
  readonly retract?: boolean;
}

function defineAssert(command: Command): Command {
  const assert = command
    .command('assert')
    .argument('<subject>', 'subject of the fact, such as user')
    .argument('<attribute>', 'attribute, such as home_city')
    .argument('[value]', 'the value')
    .description('Assert that an attribute of a subject has a value, and print the id of the fact.')
    .addOption(new Option('--text <sentence>', 'sentence that states it (made of the parts)'))
    .addOption(new Option('--confidence <p>', 'from 0 to 1 (1)').argParser(numberFrom(0, 1)))
    .addOption(new Option('--source <name...>', 'messages, memories or documents that state it').argParser(several))
    .addOption(new Option('--from <time>', 'since when it holds (now)').argParser(time))
    .addOption(new Option('--until <time>', 'when it ends').argParser(time))
    .option('--replaces', 'end the other values of the attribute')
    .option('--retract', 'the value, or without one every value, holds no longer')
    .addHelpText(
      'after',
      examples(
        'mneme facts assert user home_city Lisbon --from 2026-02-01',
        'mneme facts assert user likes tea --retract',
      ),
    )
    .action(assertOne);
  return addScopeFlags(assert);
}

async function assertOne(
  subject: string,
  attribute: string,
  value: string | undefined,
  flags: AssertFlags,
): Promise<void> {
  const { text, confidence, source, from, until, replaces = false, retract = false } = flags;
  if (value === undefined && !retract) throw usage('give a value, or --retract to end every value');
  const fact = {
    ...{ subject, attribute },
    ...scopeOf(flags),
    value,
    text,
    confidence,
    sources: source,
    validFrom: from,
    validUntil: until,
  };
  await withClient(flags, async (mneme) => {
    const asserted = await mneme.facts.assertFact(fact, { replaces, retracts: retract });
    if (flags.json) return printJson(asserted);
    const { outcome, fact: stored, supersededIds } = asserted;
    if (stored === undefined) return print(`${outcome}: no such fact`);
    const ended = supersededIds.length === 0 ? '' : `, ${counted(supersededIds.length, 'fact')} ended`;
    return print(`${stored.id}  ${outcome}${ended}`);
  });
}

function defineUndo(command: Command): Command {
  return command
    .command('undo')
    .argument('<id>', 'id of the superseded fact, or its first 8 characters', memoryId)
    .description('Undo the supersession of a fact; the fact that superseded it is withdrawn.')
    .addHelpText('after', examples('mneme facts undo 0190a3c2'))
    .action(undo);
}

async function undo(provided: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const [id = provided] = await wholeIds(mneme, [provided]);
    const undone = await mneme.facts.undoSupersession(id);
    if (flags.json) return printJson(undone);
    const { fact, withdrawnId } = undone;
    await print(lineOf(fact));
    if (withdrawnId !== undefined) await print(paint('dim', `took back ${withdrawnId}`));
  });
}

interface ForgetFlags extends ClientFlags, ScopeFlags {
  readonly subject?: string;
  readonly attribute?: string;
  readonly value?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

function defineForget(command: Command): Command {
  const forget = command
    .command('forget')
    .argument('[id...]', 'ids of facts, or their first 8 characters', memoryIds)
    .description('Erase facts with their history: by id, or all that match the flags. Only "assert" brings them back.')
    .addOption(new Option('--subject <name>', 'of this subject'))
    .addOption(new Option('--attribute <name>', 'of this attribute'))
    .addOption(new Option('--value <text>', 'with this value'))
    .option('--dry-run', 'only count them')
    .option('--yes', YES)
    .addHelpText('after', examples('mneme facts forget --subject user --dry-run', 'mneme facts forget 0190a3c2'))
    .action(forgetSome);
  return addScopeFlags(forget);
}

const NOTHING_FORGOTTEN = { forgottenCount: 0, ids: [], revision: 0 };

async function forgetSome(provided: readonly string[], flags: ForgetFlags): Promise<void> {
  const { subject, attribute, value, dryRun = false } = flags;
  const selection = {
    ...scopeOf(flags),
    ...(subject !== undefined && { subject }),
    ...(attribute !== undefined && { attribute }),
    ...(value !== undefined && { value }),
  };
  if (provided.length > 0 === Object.keys(selection).length > 0) {
    throw usage('select facts in one way: by ids, or by flags such as --subject');
  }
  await withClient(flags, async (mneme) => {
    const which = provided.length > 0 ? { ids: await wholeIds(mneme, provided) } : selection;
    const forget = (isDry: boolean) => orEmpty(mneme.facts.forget({ ...which, dryRun: isDry }), NOTHING_FORGOTTEN);
    if (provided.length === 0 && !dryRun && !flags.yes) {
      const { forgottenCount } = await forget(true);
      if (!(await confirmed(forgottenCount, flags, ['fact', 'facts']))) return print('nothing was erased');
    }
    const result = await forget(dryRun);
    const facts = counted(result.forgottenCount, 'fact');
    return flags.json ? printJson({ ...result, dryRun }) : print(`${dryRun ? 'would forget' : 'forgot'} ${facts}`);
  });
}
