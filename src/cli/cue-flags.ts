import { type Command, Option } from 'commander';
import type { RecallQuery } from '../../clients/typescript/src/index.ts';
import { finiteNumber, jsonObject, numberFrom, wholeNumber } from './parse-flag.ts';

/** Flags that say what is looked for, and how much of it is wanted. */
export interface CueFlags {
  readonly limit?: number;
  readonly similarTo?: string;
  readonly preset?: string;
  readonly parameters?: { readonly [parameter: string]: unknown };
  readonly explain?: boolean;
  readonly minScore?: number;
  readonly minSimilarity?: number;
}

/** `limit` and `explain` describe the flags of these names. */
export function addCueFlags(command: Command, { limit, explain }: { limit: string; explain: string }): Command {
  return command
    .argument('[text...]', 'what to look for, in plain language')
    .addOption(new Option('--limit <n>', `${limit} (10, or as the preset says)`).argParser(wholeNumber(1, 1000)))
    .option('--similar-to <id>', 'look for memories like this one')
    .option('--preset <name>', 'recall in a form of its own (see "mneme presets")')
    .addOption(new Option('--parameters <json>', 'what to say to the preset').argParser(jsonObject))
    .option('--explain', explain)
    .addOption(new Option('--min-score <n>', 'leave out what scores less').argParser(finiteNumber))
    .addOption(
      new Option('--min-similarity <n>', 'leave out vectors whose cosine is less').argParser(numberFrom(-1, 1)),
    );
}

/** Ends the program when the query says nothing of what is looked for. */
export function requireCue(command: Command, query: RecallQuery): void {
  const { text, similarTo, filter, preset, nearTime, nearPlace, timeWindow } = query;
  const cues = [text, similarTo, filter, preset, nearTime, nearPlace, timeWindow];
  if (cues.some((cue) => cue !== undefined)) return;
  command.error('error: nothing to look for: give a text, --similar-to, or which memories (see --help)');
}
