import { type Command, Option } from 'commander';
import type { Mneme, MoveResult, Tier } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { print, printJson } from './output.ts';
import { memoryIds, tierAmong } from './parse-flag.ts';
import { printable } from './terminal.ts';
import { wholeIds } from './whole-ids.ts';

interface MoveFlags extends ClientFlags {
  readonly to?: Tier;
}

/** Where memories can come to. */
const LOWER: readonly Tier[] = ['intermediate', 'long_term'];
const UPPER: readonly Tier[] = ['short_term', 'intermediate'];

type Move = (mneme: Mneme, ids: readonly string[], to: { readonly toTier?: Tier }) => Promise<MoveResult>;

export function defineDemote(command: Command): void {
  const description =
    'Move memories one tier down, or to the tier given. One that is there already, or lower, stays. ' +
    'Nothing of them is lost. "mneme maintain" moves those that are due.';
  define(command, description, 'demote', LOWER, (mneme, ids, to) => mneme.demote(ids, to));
}

export function definePromote(command: Command): void {
  const description =
    'Move memories one tier up, or to the tier given. One that is there already, or higher, stays. ' +
    '"mneme get --focus" moves up what is used often.';
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

async function carryOut(given: readonly string[], flags: MoveFlags, move: Move): Promise<void> {
  await withClient(flags, async (mneme) => {
    const ids = await wholeIds(mneme, given);
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
