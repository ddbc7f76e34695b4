import { type Command, Option } from 'commander';
import type {
  AttributeChange,
  AttributeHistoryQuery,
  MemoryView,
  Mneme,
  SequenceQuery,
} from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { addFilterFlags, addStateFlags, type FilterFlags, filterOf, type StateFlags } from './filter-flags.ts';
import { layoutOf, memoryBlock, memoryJson, memoryLines } from './memory-output.ts';
import { contentPath, durationMs, memoryId, memoryIds, wholeNumber } from './parse-flag.ts';
import { paint, print, printable, printJson } from './terminal.ts';
import { wholeId, wholeIds } from './whole-ids.ts';

interface GetFlags extends ClientFlags {
  readonly view: MemoryView;
  readonly touch?: boolean;
  readonly focus?: boolean;
  readonly revisions?: boolean;
}

export function defineGet(command: Command): void {
  command
    .description('Show memories by id, each with all its fields.')
    .argument('<id...>', 'ids, their first 8 characters, or full resource names', memoryIds)
    .addOption(
      new Option('--view <view>', 'how much to show; full includes the vector')
        .choices(['metadata', 'basic', 'full'])
        .default('basic'),
    )
    .option('--touch', 'count this as a use of the memory')
    .option('--focus', 'as --touch, and move it up a tier when it is used often')
    .option('--revisions', 'show every state it has had, the newest first')
    .addHelpText('after', GET_EXAMPLES)
    .action(get);
  addClientFlags(addJsonFlag(command));
}

const GET_EXAMPLES = `
Examples:
  $ mneme get 0190a3c2-7f5e-7cc0-b2a1-3f1b9e2d4c55
  $ mneme get 0190a3c2
  $ mneme get door-state --revisions
  $ mneme get door-state --view full --json | jq .embedding.model`;

async function get(ids: readonly string[], flags: GetFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    for (const [index, id] of (await wholeIds(mneme, ids)).entries()) {
      if (index > 0 && !flags.json) await print('');
      await (flags.revisions ? showRevisions(mneme, id, flags) : showMemory(mneme, id, flags));
    }
  });
}

async function showMemory(
  mneme: Mneme,
  id: string,
  { view, touch = false, focus = false, json }: GetFlags,
): Promise<void> {
  const memory = await mneme.get(id, { view, touch, focus });
  if (json) await printJson(memoryJson(memory));
  else await print(memoryLines(memory).join('\n'));
}

async function showRevisions(mneme: Mneme, id: string, { json }: GetFlags): Promise<void> {
  let isFirst = true;
  for await (const { memory, change } of mneme.listRevisions(id)) {
    if (json) await printJson({ change, memory: memoryJson(memory) });
    else await print(`${isFirst ? '' : '\n'}${change}\n${memoryLines(memory).join('\n')}`);
    isFirst = false;
  }
}

interface SequenceFlags extends ClientFlags, FilterFlags {
  readonly before?: number;
  readonly after?: number;
  readonly window?: number;
  readonly sameType?: boolean;
  readonly sameScope?: boolean;
  readonly full?: boolean;
}

export function defineSequence(command: Command): void {
  command
    .description('Show what happened before and after a memory, in order of time.')
    .argument('<id>', 'id of the memory, or its first 8 characters', memoryId)
    .addOption(new Option('--before <n>', 'show at most so many before it (2)').argParser(wholeNumber(0, 1000)))
    .addOption(new Option('--after <n>', 'show at most so many after it (2)').argParser(wholeNumber(0, 1000)))
    .addOption(new Option('--window <span>', 'only within this time before and after it').argParser(durationMs))
    .option('--same-type', 'only memories of its type')
    .option('--same-scope', 'only memories of its scope')
    .option('--full', 'on a terminal, show long texts whole')
    .addHelpText('after', SEQUENCE_EXAMPLES)
    .action(sequence);
  addClientFlags(addFilterFlags(addJsonFlag(command)));
}

const SEQUENCE_EXAMPLES = `
Examples:
  $ mneme sequence m42 --before 3 --after 3
  $ mneme sequence m42 --window 2h --same-type`;

async function sequence(id: string, flags: SequenceFlags): Promise<void> {
  const filter = filterOf(flags);
  const query: SequenceQuery = {
    sameType: flags.sameType ?? false,
    sameScope: flags.sameScope ?? false,
    ...(filter && { filter }),
    beforeCount: flags.before,
    afterCount: flags.after,
    timeWindowMs: flags.window,
  };
  await withClient(flags, async (mneme) => {
    const { before, memory, after } = await mneme.getSequence(await wholeId(mneme, id), query);
    if (flags.json) {
      await printJson({ before: before.map(memoryJson), memory: memoryJson(memory), after: after.map(memoryJson) });
      return;
    }
    const layout = layoutOf(flags);
    for (const earlier of before) await print(memoryBlock(earlier, layout, '  '));
    await print(memoryBlock(memory, layout, `${paint('bold', '>')} `));
    for (const later of after) await print(memoryBlock(later, layout, '  '));
  });
}

interface HistoryFlags extends ClientFlags, FilterFlags, StateFlags {
  readonly fromStep?: number;
  readonly toStep?: number;
  readonly limit?: number;
}

export function defineHistory(command: Command): void {
  command
    .description('Show when a value in JSON content appeared, changed and disappeared, step by step.')
    .argument('<path>', 'keys joined by dots, such as position.room', contentPath)
    .addOption(new Option('--from-step <n>', 'first step').argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER)))
    .addOption(new Option('--to-step <n>', 'last step').argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER)))
    .addOption(new Option('--limit <n>', 'print at most so many changes (1000)').argParser(wholeNumber(1, 10_000)))
    .addHelpText('after', HISTORY_EXAMPLES)
    .action(history);
  addClientFlags(addFilterFlags(addJsonFlag(addStateFlags(command))));
}

const HISTORY_EXAMPLES = `
Examples:
  $ mneme history position.room --agent a1
  $ mneme history health --from-step 10 --to-step 20 --json`;

async function history(path: string, flags: HistoryFlags): Promise<void> {
  const { type: _, ...others } = flags;
  const filter = filterOf(others);
  const query: AttributeHistoryQuery = {
    type: flags.stateType,
    ...(filter && { filter }),
    startStep: flags.fromStep,
    endStep: flags.toStep,
    limit: flags.limit,
  };
  await withClient(flags, async (mneme) => {
    const found = await mneme.getAttributeHistory(path, query);
    if (flags.json) return printJson(found);
    for (const change of found.changes) await print(changeLine(change));
    if (found.changes.length === 0) {
      const form = 'a path is the keys of the content joined by dots, such as position.room';
      const where = `no memory of type ${flags.stateType} has a value at ${path}`;
      process.stderr.write(`nothing found: ${printable(where)}; ${form}\n`);
    }
    if (found.truncated) process.stderr.write('there are more: go on with --from-step\n');
  });
}

function changeLine({ step, id, previousValue, newValue }: AttributeChange): string {
  const shown = (value: unknown) => (value === undefined ? paint('dim', '(none)') : printable(JSON.stringify(value)));
  return `${paint('cyan', `step ${step}`)}  ${shown(previousValue)} → ${shown(newValue)}  ${paint('dim', id)}`;
}
