import { type Command, Option } from 'commander';
import type { MaintenanceStep, Mneme, MoveResult, Tier, TierMove } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, refuseNamespaceWithAll, withClient } from './client-flags.ts';
import { memoryIds, tierAmong } from './parse-flag.ts';
import { progressBar } from './progress-bar.ts';
import { print, printable, printJson } from './terminal.ts';
import { wholeIds } from './whole-ids.ts';

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
    .addOption(new Option('--agent <name>', 'only memories of this agent'))
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
      // Printed lines show the progress themselves.
      if (!verbose) bar.update(movedCount);
      else if (json) await printJson(step);
      else await print(step.moves.map((move) => moveLine(step, move)).join('\n'));
    }
    bar.stop();
    const moves = [...sums].map(([kind, memoryCount]) => ({ ...(JSON.parse(kind) as Kind), memoryCount }));
    if (json) await printJson({ dryRun, movedCount, moves, damaged });
    else await print(summaryOf(moves, movedCount, damaged, dryRun));
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

function summaryOf(
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

interface MoveFlags extends ClientFlags {
  readonly to?: Tier;
}

/** Where memories can come to. */
const LOWER: readonly Tier[] = ['intermediate', 'long_term'];
const UPPER: readonly Tier[] = ['short_term', 'intermediate'];

type Move = (mneme: Mneme, ids: readonly string[], to: { readonly toTier?: Tier }) => Promise<MoveResult>;

export function defineDemote(command: Command): void {
  const description =
    'Move memories one tier down, or to a named tier. A memory already there, or lower, stays. ' +
    'Nothing of them is lost. "mneme maintain" moves the memories that are due.';
  define(command, description, 'demote', LOWER, (mneme, ids, to) => mneme.demote(ids, to));
}

export function definePromote(command: Command): void {
  const description =
    'Move memories one tier up, or to a named tier. A memory already there, or higher, stays. ' +
    '"mneme get --focus" moves up memories that are used often.';
  define(command, description, 'promote', UPPER, (mneme, ids, to) => mneme.promote(ids, to));
}

function define(command: Command, description: string, name: string, tiers: readonly Tier[], move: Move): void {
  command
    .description(description)
    .argument('<id...>', 'ids, their first 8 characters, or full resource names; at most 1,000', memoryIds)
    .addOption(new Option('--to <tier>', `tier to move to: ${tiers.join(' or ')}`).argParser(tierAmong(tiers)))
    .addHelpText('after', `\nExamples:\n  $ mneme ${name} door-state\n  $ mneme ${name} m1 m2 --to intermediate --json`)
    .action((ids: readonly string[], flags: MoveFlags) => carryOut(ids, flags, move));
  addClientFlags(addJsonFlag(command));
}

async function carryOut(provided: readonly string[], flags: MoveFlags, move: Move): Promise<void> {
  await withClient(flags, async (mneme) => {
    const ids = await wholeIds(mneme, provided);
    const { moves, damagedIds, revision } = await move(mneme, ids, flags.to === undefined ? {} : { toTier: flags.to });
    if (flags.json)
      return printJson({
        moves: moves.map(({ id, fromTier, toTier }) => ({ id, fromTier, toTier })),
        damagedIds,
        revision,
      });
    const lines = [
      ...moves.map(({ id, fromTier, toTier }) => `${id}  ${fromTier} -> ${toTier}`),
      ...damagedIds.map((id) => `${id} is damaged and stays`),
    ];
    return print(lines.length === 0 ? 'nothing to move' : lines.map(printable).join('\n'));
  });
}
