import { type Command, Option } from 'commander';
import type { Mneme, Scope, Tier } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { confirmed, YES } from './confirm.ts';
import { orEmpty, usage } from './failure.ts';
import { addFilterFlags, type FilterFlags, filterOf } from './filter-flags.ts';
import { memoryIds, TIERS, tier } from './parse-flag.ts';
import { counted, print, printJson } from './terminal.ts';
import { wholeIds } from './whole-ids.ts';

interface ForgetFlags extends ClientFlags, FilterFlags {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function defineForget(command: Command): void {
  command
    .description('Erase memories with their history: by id, or all that match the flags.')
    .argument('[id...]', 'ids, their first 8 characters, or full resource names', memoryIds)
    .option('--all', 'erase every memory of the namespace')
    .option('--dry-run', 'only count them')
    .option('--yes', YES)
    .addHelpText('after', FORGET_EXAMPLES)
    .action(forget);
  addClientFlags(addFilterFlags(addJsonFlag(command)));
}

const FORGET_EXAMPLES = `
Examples:
  $ mneme forget 0190a3c2-7f5e-7cc0-b2a1-3f1b9e2d4c55
  $ mneme forget --session s1 --until 2024-01-01 --dry-run
  $ mneme forget --all --namespace scratch`;

async function forget(ids: readonly string[], flags: ForgetFlags): Promise<void> {
  const filter = filterOf(flags);
  const ways = [ids.length > 0, filter !== undefined, flags.all === true].filter(Boolean).length;
  if (ways !== 1) {
    throw usage('say which memories in one way: by ids, by flags such as --session, or --all for every one');
  }
  if (ids.length > 0) await forgetIds(ids, flags);
  else await forgetMany(filter === undefined ? { all: true } : { filter }, flags);
}

async function forgetIds(provided: readonly string[], flags: ForgetFlags): Promise<void> {
  if (flags.dryRun) throw usage('--dry-run goes with flags such as --session, not with ids');
  await withClient(flags, async (mneme) => {
    const ids = await wholeIds(mneme, provided);
    let revision = 0;
    for (const id of ids) ({ revision } = await mneme.delete(id));
    await (flags.json
      ? printJson({ forgottenCount: ids.length, ids, dryRun: false, revision })
      : print(said(ids.length)));
  });
}

async function forgetMany(which: Parameters<Mneme['forget']>[0], flags: ForgetFlags): Promise<void> {
  const { dryRun = false, yes = false } = flags;
  await withClient(flags, async (mneme) => {
    const forget = (isDry: boolean) => orEmpty(mneme.forget({ ...which, dryRun: isDry }), NOTHING_FORGOTTEN);
    const isAsked = !dryRun && !yes;
    if (isAsked && !(await confirmed((await forget(true)).forgottenCount, flags))) return print('nothing was erased');
    const { forgottenCount, ids, revision } = await forget(dryRun);
    return flags.json ? printJson({ forgottenCount, ids, dryRun, revision }) : print(said(forgottenCount, dryRun));
  });
}

const NOTHING_FORGOTTEN = { forgottenCount: 0, tiers: [], ids: [], revision: 0 };

function said(count: number, dryRun = false): string {
  const memories = `${count} ${count === 1 ? 'memory' : 'memories'}`;
  return dryRun ? `would forget ${memories}` : `forgot ${memories}`;
}

interface ClearTierFlags extends ClientFlags, Scope {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function defineClearTier(command: Command): void {
  const scope = (flags: string, description: string) => new Option(flags, description).helpGroup('Whose memories:');
  command
    .description(
      'Erase the memories of one tier with their history: those of a scope, or with --all every one. ' +
        '"mneme maintain --flush" moves them down to long-term memory instead and loses nothing.',
    )
    .argument('<tier>', TIERS.join(', '), tier)
    .addOption(scope('--project <name>', 'of this project'))
    .addOption(scope('--agent-type <name>', 'of agents of this type'))
    .addOption(scope('--agent <name>', 'of this agent'))
    .addOption(scope('--session <name>', 'of this session'))
    .option('--all', 'erase every memory of the tier')
    .option('--dry-run', 'only count them')
    .option('--yes', YES)
    .addHelpText('after', CLEAR_EXAMPLES)
    .action(clearTier);
  addClientFlags(addJsonFlag(command));
}

const CLEAR_EXAMPLES = `
Examples:
  $ mneme clear-tier short_term --agent ada --dry-run
  $ mneme clear-tier long_term --all --namespace scratch`;

async function clearTier(which: Tier, flags: ClearTierFlags): Promise<void> {
  const { project, agentType, agent, session, all = false, dryRun = false } = flags;
  const scope = Object.fromEntries(
    Object.entries({ project, agentType, agent, session }).filter(([, part]) => part !== undefined),
  ) as Scope;
  const isScoped = Object.keys(scope).length > 0;
  if (isScoped === all) throw usage('say whose memories: by flags such as --agent, or --all for every one');
  await withClient(flags, async (mneme) => {
    const clear = (isDry: boolean) =>
      orEmpty(
        mneme.clearTier(which, isScoped ? { scope, dryRun: isDry } : { all: true, dryRun: isDry }),
        NOTHING_CLEARED,
      );
    const isAsked = !dryRun && !flags.yes;
    if (isAsked && !(await confirmed((await clear(true)).clearedCount, flags))) return print('nothing was erased');
    const { clearedCount, ids, revision } = await clear(dryRun);
    if (flags.json) return printJson({ tier: which, clearedCount, ids, dryRun, revision });
    return print(`${dryRun ? 'would erase' : 'erased'} ${counted(clearedCount, 'memory', 'memories')} of ${which}`);
  });
}

const NOTHING_CLEARED = { clearedCount: 0, ids: [], revision: 0 };
