import { type Command, Option } from 'commander';
import type { ConsolidatedMemory } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { usage } from './failure.ts';
import { examples } from './help.ts';
import { durationMs, memoryId, wholeNumber } from './parse-flag.ts';
import { counted, paint, print, printable, printJson } from './terminal.ts';

interface ConsolidateFlags extends ClientFlags {
  readonly dryRun?: boolean;
  readonly idle?: number;
  readonly max?: number;
  readonly undo?: string;
  readonly project?: string;
  readonly agentType?: string;
  readonly agent?: string;
  readonly session?: string;
}

export function defineConsolidate(command: Command): void {
  const scope = (flags: string, description: string) => new Option(flags, description).helpGroup('Whose memories:');
  command
    .description('Merge notes that say the same, and make episodes of finished conversations. Nothing is deleted.')
    .option('--dry-run', 'only show what would be made')
    .addOption(new Option('--idle <time>', 'a conversation is finished after so long (24h)').argParser(durationMs))
    .addOption(new Option('--max <n>', 'make at most so many (200)').argParser(wholeNumber(1, 1000)))
    .addOption(new Option('--undo <report>', 'take back what a consolidation made').argParser(memoryId))
    .addOption(scope('--project <name>', 'of this project'))
    .addOption(scope('--agent-type <name>', 'of agents of this type'))
    .addOption(scope('--agent <name>', 'of this agent'))
    .addOption(scope('--session <name>', 'of this session'))
    .addHelpText('after', examples('mneme consolidate --dry-run', 'mneme consolidate --agent planner'))
    .action(run);
  addClientFlags(addJsonFlag(command));
}

async function run(flags: ConsolidateFlags): Promise<void> {
  if (flags.undo !== undefined) return undo(flags.undo, flags);
  const { dryRun = false, idle, max, project, agentType, agent, session } = flags;
  const parts = Object.entries({ project, agentType, agent, session }).filter(([, part]) => part !== undefined);
  const query = {
    dryRun,
    ...(parts.length > 0 && { scope: Object.fromEntries(parts) }),
    idleMs: idle,
    maxSteps: max,
  };
  await withClient(flags, async (mneme) => {
    const result = await mneme.consolidation.run(query);
    if (flags.json) return printJson({ ...result, dryRun });
    for (const memory of result.memories) await print(lineOf(memory));
    const { skippedCount, hasMore, reportId, memories } = result;
    const skipped = skippedCount === 0 ? '' : `, ${skippedCount} skipped`;
    const made = memories.length === 1 ? '1 memory' : `${memories.length} memories`;
    await print(`${dryRun ? 'would make' : 'made'} ${made}${skipped}${hasMore ? ', and there are more' : ''}`);
    if (reportId !== undefined) await print(paint('dim', `take it back: mneme consolidate --undo ${reportId}`));
  });
}

function lineOf({ kind, id, text, sourceIds, hiddenIds }: ConsolidatedMemory): string {
  const [first = ''] = text.split('\n');
  const rest = `of ${counted(sourceIds.length, 'source')}${hiddenIds.length === 0 ? '' : `, ${hiddenIds.length} hidden`}`;
  return `${paint('dim', id.slice(0, 8))}  ${kind}  ${printable(first)}  ${paint('dim', rest)}`;
}

async function undo(reportId: string, flags: ConsolidateFlags): Promise<void> {
  if (flags.dryRun || flags.max !== undefined) throw usage('--undo goes with no other flag of the command');
  await withClient(flags, async (mneme) => {
    const result = await mneme.consolidation.undo(reportId);
    if (flags.json) return printJson(result);
    const { restoredIds, deletedIds, keptIds } = result;
    const kept = keptIds.length === 0 ? '' : `, ${keptIds.length} kept as they were changed since`;
    await print(`restored ${restoredIds.length}, deleted ${deletedIds.length}${kept}`);
  });
}
