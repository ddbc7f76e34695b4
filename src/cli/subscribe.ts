import { type Command, Option } from 'commander';
import type { Memory, RecallHit, StandingAnswer } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { addFilterFlags, type FilterFlags, filterOf } from './filter-flags.ts';
import {
  eventBlock,
  eventJson,
  explanationLines,
  HIT_INDENT,
  hitBlock,
  hitJson,
  layoutOf,
  looksDifferent,
  memoryBlock,
} from './memory-output.ts';
import { reportAwaited, reportBreaks } from './notices.ts';
import { wholeNumber } from './parse-flag.ts';
import { queryOf, type RecallFlags, withWholeId } from './recall.ts';
import { addCueFlags, addNearnessFlags, addRankingFlags, requireCue } from './recall-flags.ts';
import { paint, print, printJson } from './terminal.ts';

interface SubscribeFlags extends RecallFlags {
  readonly count?: number;
}

export function defineSubscribe(command: Command): void {
  addCueFlags(
    command.description(
      'Print the memories that answer a question, then every change of that answer: + entered, - left, ~ changed. ' +
        'Ends with Ctrl-C.',
    ),
    { limit: 'at most so many memories in the answer', explain: 'show how each score came about' },
  )
    .addOption(
      new Option('--count <n>', 'end after so many answers; the first one that has memories is one').argParser(
        wholeNumber(1, 1e9),
      ),
    )
    .addHelpText('after', SUBSCRIBE_EXAMPLES)
    .action(subscribe);
  addClientFlags(addNearnessFlags(addFilterFlags(addRankingFlags(addJsonFlag(command)))));
}

const SUBSCRIBE_EXAMPLES = `
Examples:
  $ mneme subscribe "who makes music?"
  $ mneme subscribe "problems with the door" --session s1 --limit 3
  $ mneme subscribe "alarms" --last 1h --json`;

async function subscribe(words: readonly string[], flags: SubscribeFlags): Promise<void> {
  const { touch: _, focus: __, ...asked } = queryOf(words.join(' '), flags);
  requireCue(asked);
  await withClient(flags, async (mneme) => {
    const query = await withWholeId(mneme, asked);
    await reportAwaited(mneme);
    let count = 0;
    let shown: readonly RecallHit[] | undefined;
    for await (const standing of mneme.subscribe(query, reportBreaks())) {
      if (standing.isProgress) continue;
      const hasAnswer = standing.hits.length > 0;
      const isNews = standing.entered.length + standing.updated.length + standing.leftIds.length > 0;
      if (shown && !isNews) continue;
      const isPrinted = flags.json
        ? await printJson(standingJson(standing, flags)).then(() => true)
        : await printStanding(standing, shown, flags);
      shown = standing.hits;
      // An answer without memories is none yet.
      if (isPrinted && (count > 0 || hasAnswer) && ++count === flags.count) return;
    }
  });
}

function standingJson(
  { hits, entered, updated, leftIds: left, revision, degraded }: StandingAnswer,
  flags: SubscribeFlags,
): object {
  const json = (hit: RecallHit) => hitJson(hit, flags.explain ?? false);
  const ids = (some: readonly RecallHit[]) => some.map(({ memory }) => memory.id);
  return { revision, entered: ids(entered), updated: ids(updated), left, hits: hits.map(json), degraded };
}

/** First the whole answer, then its changes. `shown`: the former answer. False when nothing was printed. */
async function printStanding(
  { hits, leftIds: left, degraded }: StandingAnswer,
  shown: readonly RecallHit[] | undefined,
  { explain, full }: SubscribeFlags,
): Promise<boolean> {
  const layout = layoutOf({ full });
  const before = new Map(shown?.map(({ memory }) => [memory.id, memory]));
  if (!shown && hits.length === 0) process.stderr.write('nothing found yet\n');
  for (const id of left) {
    const gone = before.get(id);
    const lead = `${paint('red', '-')} ${HIT_INDENT}`;
    await print(gone ? memoryBlock(gone, layout, lead) : `${lead}${id}`);
  }
  let isPrinted = !shown || left.length > 0;
  for (const [at, hit] of hits.entries()) {
    const mark = markOf(hit, before.get(hit.memory.id));
    if (mark === undefined) continue;
    isPrinted = true;
    await print(hitBlock(hit, at + 1, layout, `${mark} `));
    if (explain) for (const line of explanationLines(hit, layout.columns, `  ${HIT_INDENT}`)) await print(line);
  }
  for (const { part, reason } of degraded) process.stderr.write(`not searched in full: ${part}: ${reason}\n`);
  return isPrinted;
}

/** Undefined for a changed score or position alone: it is not worth a line. */
function markOf({ memory }: RecallHit, before: Memory | undefined): string | undefined {
  if (!before) return paint('green', '+');
  return looksDifferent(before, memory) ? paint('yellow', '~') : undefined;
}

interface WatchFlags extends ClientFlags, FilterFlags {
  readonly from?: number;
  readonly touched?: boolean;
  readonly moved?: boolean;
  readonly count?: number;
  readonly full?: boolean;
  readonly once?: boolean;
}

export function defineWatch(command: Command): void {
  command
    .description('Print every change of a namespace as it happens, in order. Ends with Ctrl-C.')
    .addOption(
      new Option('--from <revision>', 'begin with this revision (the next change)').argParser(
        wholeNumber(1, Number.MAX_SAFE_INTEGER),
      ),
    )
    .option('--touched', 'also print that memories were used, as by --touch')
    .option('--moved', 'also print moves between tiers that the filter does not ask for')
    .addOption(new Option('--count <n>', 'end after so many changes').argParser(wholeNumber(1, 1_000_000_000)))
    .option('--full', 'on a terminal, show long texts whole')
    .option('--once', 'end when all past changes are printed')
    .addHelpText('after', WATCH_EXAMPLES)
    .action(watch);
  addClientFlags(addFilterFlags(addJsonFlag(command)));
}

const WATCH_EXAMPLES = `
Examples:
  $ mneme watch
  $ mneme watch --session s1 --type fact
  $ mneme watch --from 1 --once --json`;

async function watch(flags: WatchFlags): Promise<void> {
  const filter = filterOf(flags);
  const query = {
    ...(filter ? { filter } : {}),
    startRevision: flags.from,
    includeTouched: flags.touched ?? false,
    includeMoved: flags.moved ?? false,
  };
  await withClient(flags, async (mneme) => {
    await reportAwaited(mneme);
    const layout = layoutOf(flags);
    let count = 0;
    for await (const event of mneme.watch({ ...query, progress: true }, reportBreaks())) {
      if (event.kind === 'caught_up') {
        if (flags.once) return;
        if (!flags.json && count === 0) process.stderr.write(`watching from revision ${event.revision} on\n`);
        continue;
      }
      await (flags.json ? printJson(eventJson(event)) : print(eventBlock(event, layout)));
      if (event.kind !== 'relisting' && ++count === flags.count) return;
    }
  });
}
