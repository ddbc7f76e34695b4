import { type Command, Option } from 'commander';
import type { MemoryOrder, MemoryView, ValidityQuery } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { eachOrNone, orEmpty } from './failure.ts';
import { addFilterFlags, type FilterFlags, filterOf } from './filter-flags.ts';
import { examples } from './help.ts';
import { layoutOf, memoryBlock, memoryJson } from './memory-output.ts';
import { time, wholeNumber } from './parse-flag.ts';
import { print, printJson } from './terminal.ts';

interface ListFlags extends ClientFlags, FilterFlags {
  readonly order: MemoryOrder;
  readonly limit: number;
  readonly all?: boolean;
  readonly current?: boolean;
  readonly asOf?: Date;
  readonly view: MemoryView;
  readonly full?: boolean;
}

const ORDERS: readonly MemoryOrder[] = [
  'create_time_desc',
  'create_time_asc',
  'event_time_desc',
  'event_time_asc',
  'importance_desc',
  'step_asc',
  'step_desc',
];

export function defineList(command: Command): void {
  command
    .description('List memories, the newest first.')
    .addOption(new Option('--order <order>', 'what to sort by').choices(ORDERS).default('create_time_desc'))
    .addOption(
      new Option('--limit <n>', 'list at most so many').default(50).argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
    )
    .option('--all', 'list all of them')
    .option('--current', 'leave out memories that are superseded or not valid now')
    .addOption(new Option('--as-of <time>', 'list what was valid then, see "mneme help times"').argParser(time))
    .option('--full', 'on a terminal, show long texts whole')
    .addOption(
      new Option('--view <view>', 'how much of each memory --json prints')
        .choices(['metadata', 'basic', 'full'])
        .default('basic'),
    )
    .addHelpText('after', LIST_EXAMPLES)
    .action(list);
  addClientFlags(addFilterFlags(addJsonFlag(command)));
}

const RECORDS_LEFT_OUT = `Without a filter, the server's own records (of the types fact_key, consolidation
and extraction_failure) are left out; --json has those of the last two.`;
const LIST_EXAMPLES = `
Examples:
  $ mneme list --session s1 --order event_time_asc
  $ mneme list --type state --content position.room=hall
  $ mneme list --all --json | jq -r .text

${RECORDS_LEFT_OUT}`;

/** Which memories, by when they are valid. */
export function validityOf({ current, asOf }: Pick<ListFlags, 'current' | 'asOf'>): ValidityQuery {
  return { ...(current && { includeInvalid: false }), asOf };
}

/** Records of the server itself: keys of facts, reports of consolidation, failures of extraction. */
/** Types of the server's own records. */
export const RECORD_TYPES: readonly string[] = ['fact_key', 'consolidation', 'extraction_failure'];
const IS_NO_RECORD = RECORD_TYPES.map((type) => `type != "${type}"`).join(' AND ');
const IS_RECORD = RECORD_TYPES.map((type) => `type = "${type}"`).join(' OR ');

/** For people and without a filter, records are left out; JSON has everything. */
function selectedBy(flags: FilterFlags & Pick<ClientFlags, 'json'>): string | undefined {
  const filter = filterOf(flags);
  return filter === undefined && !flags.json ? IS_NO_RECORD : filter;
}

async function list(flags: ListFlags): Promise<void> {
  const { order, view, limit, all = false, json } = flags;
  const filter = selectedBy(flags);
  await withClient(flags, async (mneme) => {
    let count = 0;
    const layout = layoutOf(flags);
    const pageSize = all ? 500 : Math.min(limit, 500);
    const query = { order, view, pageSize, ...validityOf(flags), ...(filter && { filter }) };
    for await (const memory of eachOrNone(mneme.list(query))) {
      await (json ? printJson(memoryJson(memory)) : print(memoryBlock(memory, layout)));
      count += 1;
      if (count === limit && !all) break;
    }
    if (count === 0) process.stderr.write('no memories\n');
  });
}

interface CountFlags extends ClientFlags, FilterFlags {
  readonly current?: boolean;
  readonly asOf?: Date;
}

export function defineCount(command: Command): void {
  command
    .description('Count memories, exactly.')
    .option('--current', 'leave out memories that are superseded or not valid now')
    .addOption(new Option('--as-of <time>', 'count what was valid then, see "mneme help times"').argParser(time))
    .addHelpText('after', COUNT_EXAMPLES)
    .action(count);
  addClientFlags(addFilterFlags(addJsonFlag(command)));
}

const COUNT_EXAMPLES = `${examples(
  'mneme count',
  `mneme count --filter 'type = "state" AND step >= 10'`,
  'mneme count --tag travel --current',
)}

${RECORDS_LEFT_OUT}`;

const NOTHING_COUNTED = { count: 0, tiers: [], revision: 0 };

async function count(flags: CountFlags): Promise<void> {
  const filter = selectedBy(flags);
  await withClient(flags, async (mneme) => {
    const counted = await orEmpty(mneme.count({ ...validityOf(flags), ...(filter && { filter }) }), NOTHING_COUNTED);
    if (flags.json) return printJson(counted);
    await print(`${counted.count}`);
    if (filter !== IS_NO_RECORD) return undefined;
    const query = { ...validityOf(flags), filter: IS_RECORD };
    const { count: records } = await orEmpty(mneme.count(query), NOTHING_COUNTED);
    if (records > 0) process.stderr.write(`${records} of the server's own records are left out\n`);
    return undefined;
  });
}
