import { type Command, Option } from 'commander';
import type { Scope, Tier } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { counted } from './counted.ts';
import { usage } from './failure.ts';
import { print, printJson } from './output.ts';
import { some, TIERS, tier } from './parse-flag.ts';

interface ClearTierFlags extends ClientFlags, Scope {
  readonly all?: boolean;
  readonly dryRun?: boolean;
}

export function defineClearTier(command: Command): void {
  const scope = (flags: string, description: string) =>
    new Option(flags, description).argParser(some).helpGroup('Whose memories:');
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
    .addHelpText('after', EXAMPLES)
    .action(clearTier);
  addClientFlags(addJsonFlag(command));
}

const EXAMPLES = `
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
    const query = isScoped ? { scope, dryRun } : ({ all: true, dryRun } as const);
    const { clearedCount, ids, revision } = await mneme.clearTier(which, query);
    if (flags.json) await printJson({ tier: which, clearedCount, ids, dryRun, revision });
    else await print(`${dryRun ? 'would erase' : 'erased'} ${counted(clearedCount, 'memory', 'memories')} of ${which}`);
  });
}
