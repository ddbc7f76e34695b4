import { type Command, Option } from 'commander';
import type { MaintenanceStep, Mneme, TierMove } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, refuseNamespaceWithAll, withClient } from './client-flags.ts';
import { print, printJson } from './output.ts';
import { some } from './parse-flag.ts';
import { progressBar } from './progress-bar.ts';
import { printable } from './terminal.ts';

interface MaintainFlags extends ClientFlags {
  readonly all?: boolean;
  readonly agent?: string;
  readonly dryRun?: boolean;
  readonly flush?: boolean;
  readonly anyType?: boolean;
  readonly verbose?: boolean;
}

export function defineMaintain(command: Command): void {
  command
    .description(
      'Move memories down that have been in their tier for too long or exceed its limit, as the server does by itself ' +
        'at intervals. Nothing is lost by it. docs/tiers.md describes tiers and their settings.',
    )
    .option('--all', 'all namespaces')
    .addOption(new Option('--agent <name>', 'only memories of this agent').argParser(some))
    .option('--dry-run', 'only show what would move and why')
    .option('--flush', 'move everything down to long-term memory')
    .option('--any-type', 'move any type to long-term memory, whatever the settings say')
    .option('--verbose', 'name every memory that moves')
    .addHelpText('after', EXAMPLES)
    .action(maintain);
  addClientFlags(addJsonFlag(command));
}

const EXAMPLES = `
Examples:
  $ mneme maintain --dry-run --verbose
  $ mneme maintain --all
  $ mneme maintain --agent ada --flush --json`;

async function maintain(flags: MaintainFlags, command: Command): Promise<void> {
  refuseNamespaceWithAll(flags, command);
  const { json, verbose, dryRun = false } = flags;
  const bar = progressBar(dryRun ? 'planning' : 'moving');
  await withClient(flags, async (mneme) => {
    const sums = new Map<string, number>();
    const damaged: string[] = [];
    let movedCount = 0;
    for await (const step of mneme.admin.maintainTiers(queryOf(flags, mneme))) {
      movedCount = step.movedCount;
      for (const id of step.damagedIds) damaged.push(`${step.namespace}/${id}`);
      for (const move of step.moves) count(sums, kindOf(step, move));
      // Lines that come as it goes show how far it is.
      if (!verbose) bar.update(movedCount);
      else if (json) await printJson(step);
      else await print(step.moves.map((move) => moveLine(step, move)).join('\n'));
    }
    bar.stop();
    const moves = [...sums].map(([kind, memoryCount]) => ({ ...(JSON.parse(kind) as Kind), memoryCount }));
    if (json) await printJson({ dryRun, movedCount, moves, damaged });
    else await print(told(moves, movedCount, damaged, dryRun));
  }).finally(() => bar.stop());
}

function queryOf({ all, agent, dryRun, flush, anyType }: MaintainFlags, { namespace }: Mneme) {
  return {
    ...(all ? {} : { namespace }),
    ...(agent === undefined ? {} : { agent }),
    dryRun: dryRun ?? false,
    flush: flush ?? false,
    anyType: anyType ?? false,
  };
}

function count(sums: Map<string, number>, kind: string): void {
  sums.set(kind, (sums.get(kind) ?? 0) + 1);
}

interface Kind extends Pick<TierMove, 'fromTier' | 'toTier' | 'reason'> {
  readonly namespace: string;
}

function kindOf({ namespace }: MaintenanceStep, { fromTier, toTier, reason }: TierMove): string {
  return JSON.stringify({ namespace, fromTier, toTier, reason } satisfies Kind);
}

function moveLine({ namespace }: MaintenanceStep, { id, fromTier, toTier, reason, score }: TierMove): string {
  return printable(`${namespace}/${id}  ${fromTier} -> ${toTier}  ${reason}  score ${score.toFixed(3)}`);
}

function told(
  moves: readonly (Kind & { readonly memoryCount: number })[],
  movedCount: number,
  damaged: readonly string[],
  dryRun: boolean,
): string {
  const verb = dryRun ? 'would be moved' : 'moved';
  if (movedCount === 0 && damaged.length === 0) return 'nothing to move: every memory is in its tier';
  const lines = moves.map(
    ({ namespace, fromTier, toTier, reason, memoryCount }) =>
      `${namespace}: ${memoryCount} ${verb} ${fromTier} -> ${toTier} (${reason})`,
  );
  return [...lines, ...damaged.map((name) => `${name} is damaged and stays`)].map(printable).join('\n');
}
