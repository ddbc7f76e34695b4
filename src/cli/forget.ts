import type { Command } from 'commander';
import type { Mneme } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { usage } from './failure.ts';
import { addFilterFlags, type FilterFlags, filterOf } from './filter-flags.ts';
import { print, printJson } from './output.ts';
import { memoryIds } from './parse-flag.ts';
import { wholeIds } from './whole-ids.ts';

interface ForgetFlags extends ClientFlags, FilterFlags {
  readonly all?: boolean;
  readonly dryRun?: boolean;
}

export function defineForget(command: Command): void {
  command
    .description('Erase memories with their history: by id, or all that match the flags.')
    .argument('[id...]', 'ids, their first 8 characters, or full resource names', memoryIds)
    .option('--all', 'erase every memory of the namespace')
    .option('--dry-run', 'only count them')
    .addHelpText('after', EXAMPLES)
    .action(forget);
  addClientFlags(addFilterFlags(addJsonFlag(command)));
}

const EXAMPLES = `
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

async function forgetIds(given: readonly string[], flags: ForgetFlags): Promise<void> {
  if (flags.dryRun) throw usage('--dry-run goes with flags such as --session, not with ids');
  await withClient(flags, async (mneme) => {
    const ids = await wholeIds(mneme, given);
    let revision = 0;
    for (const id of ids) ({ revision } = await mneme.delete(id));
    await (flags.json
      ? printJson({ forgottenCount: ids.length, ids, dryRun: false, revision })
      : print(said(ids.length)));
  });
}

async function forgetMany(which: Parameters<Mneme['forget']>[0], flags: ForgetFlags): Promise<void> {
  const dryRun = flags.dryRun ?? false;
  await withClient(flags, async (mneme) => {
    const { forgottenCount, ids, revision } = await mneme.forget({ ...which, dryRun });
    await (flags.json ? printJson({ forgottenCount, ids, dryRun, revision }) : print(said(forgottenCount, dryRun)));
  });
}

function said(count: number, dryRun = false): string {
  const memories = `${count} ${count === 1 ? 'memory' : 'memories'}`;
  return dryRun ? `would forget ${memories}` : `forgot ${memories}`;
}
