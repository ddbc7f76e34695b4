import { type Command, InvalidArgumentError } from 'commander';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { addFilterFlags, addStateFlags, type FilterFlags, filterOf, type StateFlags } from './filter-flags.ts';
import { layoutOf, memoryBlock, memoryJson } from './memory-output.ts';
import { paint, print, printJson } from './terminal.ts';

interface StatesFlags extends ClientFlags, FilterFlags, StateFlags {
  readonly carryForward?: boolean;
  readonly full?: boolean;
}

export function defineStates(command: Command): void {
  command
    .description('Show the state at each of the given steps.')
    .argument('<step...>', 'steps of the run', stepsOf)
    .option('--carry-forward', 'where a step has no state, show the latest before it')
    .option('--full', 'on a terminal, show long texts whole')
    .addHelpText('after', EXAMPLES)
    .action(states);
  addClientFlags(addFilterFlags(addJsonFlag(addStateFlags(command))));
}

const EXAMPLES = `
Examples:
  $ mneme states 10 20 30 --agent a1
  $ mneme states 15 --carry-forward --json`;

async function states(steps: readonly number[], flags: StatesFlags): Promise<void> {
  const { type: _, ...others } = flags;
  const filter = filterOf(others);
  await withClient(flags, async (mneme) => {
    const layout = layoutOf(flags);
    const query = { type: flags.stateType, carryForward: flags.carryForward ?? false, ...(filter && { filter }) };
    for (const { step, memory } of await mneme.getStatesAtSteps(steps, query)) {
      const lead = `${paint('cyan', `step ${step}`)}  `;
      if (flags.json) await printJson({ step, memory: memory ? memoryJson(memory) : null });
      else await print(memory ? memoryBlock(memory, layout, lead) : `${lead}${paint('dim', '(none)')}`);
    }
  });
}

function stepsOf(text: string, before: readonly number[] = []): number[] {
  const step = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(step)) throw new InvalidArgumentError('Expected whole numbers.');
  return [...before, step];
}
