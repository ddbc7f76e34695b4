import { type Command, Option } from 'commander';
import type { RecallQuery } from '../../clients/typescript/src/index.ts';
import { usage } from './failure.ts';
import { finiteNumber, jsonObject, memoryId, numberFrom, wholeNumber } from './parse-flag.ts';

/** Flags that say what to look for and how much of it. */
export interface CueFlags {
  readonly limit?: number;
  readonly similarTo?: string;
  readonly preset?: string;
  readonly parameters?: { readonly [parameter: string]: unknown };
  readonly explain?: boolean;
  readonly minScore?: number;
  readonly minRelevance?: number;
  readonly minSimilarity?: number;
}

/** `limit` and `explain` describe the flags of these names. */
export function addCueFlags(command: Command, { limit, explain }: { limit: string; explain: string }): Command {
  return command
    .argument('[text...]', 'question or topic, in plain language')
    .addOption(new Option('--limit <n>', `${limit} (10, or as the preset says)`).argParser(wholeNumber(1, 1000)))
    .addOption(new Option('--similar-to <id>', 'find memories like this one').argParser(memoryId))
    .option('--preset <name>', 'use a named form of recall, see "mneme presets"')
    .addOption(new Option('--parameters <json>', 'parameters of the preset').argParser(jsonObject))
    .option('--explain', explain)
    .addOption(
      new Option('--min-relevance <p>', 'leave out hits less likely to answer than this, 0 to 1').argParser(
        numberFrom(0, 1),
      ),
    )
    .addOption(new Option('--min-score <n>', 'leave out hits with a lower score').argParser(finiteNumber))
    .addOption(
      new Option('--min-similarity <n>', 'leave out vectors with a lower cosine, -1 to 1').argParser(numberFrom(-1, 1)),
    );
}

/** Fails when the query says nothing of what to look for. */
export function requireCue(query: RecallQuery): void {
  const { text, similarTo, filter, preset, nearTime, nearPlace, timeWindow } = query;
  const cues = [text, similarTo, filter, preset, nearTime, nearPlace, timeWindow];
  if (cues.some((cue) => cue !== undefined)) return;
  throw usage('nothing to look for: give a text, --similar-to, --preset, or flags such as --session (see --help)');
}
