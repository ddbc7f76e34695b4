import { type Command, Option } from 'commander';
import type { AttributeChange, AttributeHistoryQuery } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { addFilterFlags, type FilterFlags, filterOf } from './filter-flags.ts';
import { print, printJson } from './output.ts';
import { wholeNumber } from './parse-flag.ts';
import { addStateFlags, type StateFlags } from './state-flags.ts';
import { paint, printable } from './terminal.ts';

interface HistoryFlags extends ClientFlags, FilterFlags, StateFlags {
  readonly fromStep?: number;
  readonly toStep?: number;
  readonly limit?: number;
}

export function defineHistory(command: Command): void {
  command
    .description('Show when a value in JSON content appeared, changed and disappeared, step by step.')
    .argument('<path>', 'keys joined by dots, such as position.room')
    .addOption(new Option('--from-step <n>', 'first step').argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER)))
    .addOption(new Option('--to-step <n>', 'last step').argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER)))
    .addOption(new Option('--limit <n>', 'print at most so many changes (1000)').argParser(wholeNumber(1, 10_000)))
    .addHelpText('after', EXAMPLES)
    .action(history);
  addClientFlags(addFilterFlags(addJsonFlag(addStateFlags(command))));
}

const EXAMPLES = `
Examples:
  $ mneme history position.room --agent a1
  $ mneme history health --from-step 10 --to-step 20 --json`;

async function history(path: string, flags: HistoryFlags): Promise<void> {
  const { type: _, ...others } = flags;
  const filter = filterOf(others);
  const query: AttributeHistoryQuery = {
    type: flags.stateType,
    ...(filter && { filter }),
    ...(flags.fromStep !== undefined && { startStep: flags.fromStep }),
    ...(flags.toStep !== undefined && { endStep: flags.toStep }),
    ...(flags.limit !== undefined && { limit: flags.limit }),
  };
  await withClient(flags, async (mneme) => {
    const found = await mneme.getAttributeHistory(path, query);
    if (flags.json) return printJson(found);
    for (const change of found.changes) await print(changeLine(change));
    if (found.changes.length === 0) process.stderr.write('nothing found\n');
    if (found.truncated) process.stderr.write('there are more: go on with --from-step\n');
  });
}

function changeLine({ step, id, previousValue, newValue }: AttributeChange): string {
  const shown = (value: unknown) => (value === undefined ? paint('dim', '(none)') : printable(JSON.stringify(value)));
  return `${paint('cyan', `step ${step}`)}  ${shown(previousValue)} → ${shown(newValue)}  ${paint('dim', id)}`;
}
