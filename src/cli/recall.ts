import { type Command, Option } from 'commander';
import type { Mneme, RecallQuery, RecallResult } from '../../clients/typescript/src/index.ts';
import { machineZone } from '../memory/time/zone.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { orEmpty, usage } from './failure.ts';
import { addFilterFlags, type FilterFlags, filterOf } from './filter-flags.ts';
import { explanationLines, HIT_INDENT, hitBlock, hitJson, layoutOf, memoryBlock } from './memory-output.ts';
import { time, wholeNumber } from './parse-flag.ts';
import {
  addCueFlags,
  addNearnessFlags,
  addRankingFlags,
  type CueFlags,
  type NearnessFlags,
  nearnessOf,
  type RankingFlags,
  rankingOf,
  requireCue,
} from './recall-flags.ts';
import { paint, print, printable, printJson, readStdin } from './terminal.ts';
import { wholeId } from './whole-ids.ts';

export interface RecallFlags extends ClientFlags, FilterFlags, NearnessFlags, RankingFlags, CueFlags {
  readonly referenceTime?: Date;
  readonly neighbors?: number;
  readonly includeInvalid?: boolean;
  readonly asOf?: Date;
  readonly exact?: boolean;
  readonly touch?: boolean;
  readonly focus?: boolean;
  readonly stream?: boolean;
  readonly full?: boolean;
  readonly budget?: number;
}

/** A preset has its own default. */
const LIMIT_DEFAULT = 10;

export function defineRecall(command: Command): void {
  addCueFlags(
    command.description('Find the memories that answer a question, best first. With "-" the text is read from stdin.'),
    {
      limit: 'print at most so many memories',
      explain: 'show how each score came about and the words that matched',
    },
  )
    .addOption(
      new Option('--reference-time <time>', 'time that "yesterday" and recency are counted from (now)').argParser(time),
    )
    .addOption(
      new Option('--neighbors <n>', 'show so many memories of the session before and after').argParser(
        wholeNumber(0, 5),
      ),
    )
    .addOption(
      new Option('--budget <tokens>', 'print passages of at most so many tokens in total').argParser(
        wholeNumber(1, 100_000),
      ),
    )
    .option('--stream', 'print the hits of each tier as they arrive, then the answer')
    .option('--include-invalid', 'include memories that are superseded or not valid now')
    .addOption(new Option('--as-of <time>', 'find what was valid then, see "mneme help times"').argParser(time))
    .option('--full', 'on a terminal, show long texts whole')
    .option('--exact', 'search all vectors instead of the index')
    .option('--touch', 'count this as a use of the hits')
    .option('--focus', 'as --touch, and move hits up a tier that are used often')
    .addHelpText('after', EXAMPLES)
    .action(recall);
  addClientFlags(addNearnessFlags(addFilterFlags(addRankingFlags(addJsonFlag(command)))));
}

const EXAMPLES = `
Examples:
  $ mneme recall "who makes music?"
  $ mneme recall "What did we decide?" --session s1 --since "last week"
  $ mneme recall --preset last_hours --parameters '{"hours": 2}'
  $ mneme recall "the move to Lyon" --budget 800
  $ mneme recall "What is new?" --weight recency=1 --half-life 1d
  $ mneme recall --near-geo 48.8566,2.3522 --scale 500 --during week
  $ mneme recall --example '{"position": [100, 100]}' --type state
  $ mneme recall "the door" --similar-to door-state --limit 3 --json`;

async function recall(words: readonly string[], flags: RecallFlags): Promise<void> {
  const provided = words.join(' ');
  const asked = queryOf(provided === '-' ? await readStdin() : provided, flags);
  requireCue(asked);
  await withClient(flags, async (mneme) => {
    const query = await withWholeId(mneme, asked);
    const answer = (recalled: RecallResult) =>
      flags.json ? printJson(recalledJson(recalled, flags)) : printRecalled(recalled, flags);
    if (flags.stream) await printStreamed(mneme, query, { ...flags, answer });
    else await answer(await orEmpty(mneme.recall(query), NOTHING_RECALLED));
  });
}

const NOTHING_RECALLED: RecallResult = {
  hits: [],
  passages: [],
  tokenCount: 0,
  lanes: [],
  degraded: [],
  candidateCount: 0,
  lowRelevanceCount: 0,
  damagedIds: [],
  promotedIds: [],
  revision: 0,
};

/** A memory that others are to be like may be named by the beginning of its id. */
export async function withWholeId<Query extends { readonly similarTo?: string }>(
  mneme: Mneme,
  query: Query,
): Promise<Query> {
  const { similarTo } = query;
  return similarTo === undefined ? query : { ...query, similarTo: await wholeId(mneme, similarTo) };
}

export function queryOf(text: string, flags: RecallFlags): RecallQuery {
  // The searched tiers are more than a condition: other tiers are neither awaited nor reported as missing. A tier alone
  // is a valid query.
  const { tier, ...conditions } = flags;
  if (flags.parameters && flags.preset === undefined) throw usage('--parameters applies only to --preset');
  const filter = filterOf(conditions) ?? (text === '' && tier ? filterOf({ tier }) : undefined);
  return {
    ...((flags.limit !== undefined || flags.preset === undefined) && { limit: flags.limit ?? LIMIT_DEFAULT }),
    ...(text !== '' && { text }),
    ...(filter && { filter }),
    tiers: tier,
    preset: flags.preset === undefined ? undefined : { name: flags.preset, parameters: flags.parameters },
    example: flags.example && { content: flags.example },
    similarTo: flags.similarTo,
    minScore: flags.minScore,
    minRelevance: flags.minRelevance,
    minSimilarity: flags.minSimilarity,
    referenceTime: flags.referenceTime,
    timeZone: flags.timeZone ?? machineZone(),
    neighborCount: flags.neighbors,
    ...rankingOf(flags),
    ...(flags.budget !== undefined && { tokenBudget: flags.budget }),
    ...nearnessOf(flags),
    includeInvalid: flags.includeInvalid ?? false,
    ...(flags.asOf && { asOf: flags.asOf }),
    exact: flags.exact ?? false,
    touch: flags.touch ?? false,
    focus: flags.focus ?? false,
    explain: flags.explain ?? false,
  };
}

function recalledJson(recalled: RecallResult, flags: RecallFlags): object {
  const { hits, damagedIds, passages, tokenCount, promotedIds: _, ...rest } = recalled;
  const budget = flags.budget === undefined ? {} : { passages, tokenCount };
  const shown = hits.map((hit) => hitJson(hit, flags.explain ?? false));
  const damaged = damagedIds.length === 0 ? {} : { damagedIds };
  return { hits: shown, ...budget, ...rest, ...damaged };
}

/** Precedes the neighbours of a hit. */
const BEFORE = `${HIT_INDENT}before: `;
const AFTER = `${HIT_INDENT}after:  `;

async function printRecalled(recalled: RecallResult, flags: RecallFlags): Promise<void> {
  const { hits, passages, degraded, damagedIds } = recalled;
  const layout = layoutOf(flags);
  for (const { text } of passages) await print(`${printable(text)}\n`);
  for (const [index, hit] of (flags.budget === undefined ? hits : []).entries()) {
    for (const memory of hit.before) await print(memoryBlock(memory, layout, BEFORE));
    await print(hitBlock(hit, index + 1, layout));
    if (flags.explain) for (const line of explanationLines(hit, layout.columns, HIT_INDENT)) await print(line);
    for (const memory of hit.after) await print(memoryBlock(memory, layout, AFTER));
  }
  process.stderr.write(leftOut(recalled, flags));
  for (const { part, reason } of degraded) process.stderr.write(`not done in full: ${part}: ${reason}\n`);
  for (const id of damagedIds) process.stderr.write(`cannot be read, its bytes are damaged: ${printable(id)}\n`);
}

/** What the answer lacks, and how to see it; empty where it lacks nothing. */
function leftOut({ hits, passages, lowRelevanceCount: count }: RecallResult, { budget }: RecallFlags): string {
  const less = count === 0 ? '' : `${count} less relevant left out; --min-relevance 0 shows them\n`;
  if ((budget === undefined ? hits : passages).length > 0) return less;
  if (budget !== undefined) return `nothing found that fits the budget\n${less}`;
  if (count === 0) return 'nothing found\n';
  return `nothing relevant; --min-relevance 0 shows the nearest ${count === 1 ? 'memory' : `${count} memories`}\n`;
}

interface Shown {
  readonly json?: boolean;
  readonly explain?: boolean;
  readonly full?: boolean;
  /** Prints the answer that comes at the end. */
  readonly answer: (answer: RecallResult) => Promise<void>;
}

/** Prints the hits of each tier as they come, and then the answer. */
export async function printStreamed(mneme: Mneme, query: RecallQuery, shown: Shown): Promise<void> {
  for await (const event of mneme.recallStream(query)) {
    if (event.kind === 'merged') {
      // Otherwise its lines would read as hits of the preceding tier.
      if (!shown.json) await print(paint('bold', `answer: ${event.answer.hits.length}`));
      await shown.answer(event.answer);
    } else if (shown.json) {
      await printJson({ tier: event.tier, hits: event.hits.map((hit) => hitJson(hit, shown.explain ?? false)) });
    } else {
      await print(paint('dim', `${event.tier}: ${event.hits.length}`));
      for (const [index, hit] of event.hits.entries()) await print(hitBlock(hit, index + 1, layoutOf(shown)));
    }
  }
}
