import { type Command, Option } from 'commander';
import type { ConflictPolicy, IngestProgress, NewMemory } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { CommandFailure } from './failure.ts';
import { type JsonLines, openJsonLines } from './json-lines.ts';
import { print, printJson } from './output.ts';
import { wholeNumber } from './parse-flag.ts';
import { parseMemoryLine } from './parse-memory-line.ts';
import { tellDegraded } from './tell-degraded.ts';

interface IngestFlags extends ClientFlags {
  readonly conflict: ConflictPolicy;
  readonly streamId?: string;
  readonly after?: number;
}

export function defineIngest(command: Command): void {
  command
    .description(
      'Stores memories from JSON lines as they come, such as from a program that goes on for ever, and says what is on disk.\n' +
        'A line that cannot be stored is told and passed over. After a crash, --stream-id and --after go on without a gap.',
    )
    .argument('[file]', 'file to read; "-" or nothing reads stdin', '-')
    .addOption(
      new Option('--conflict <policy>', 'what to do with a memory that is there already')
        .choices(['keep', 'replace', 'fail'])
        .default('keep'),
    )
    .option('--stream-id <id>', 'name of the stream, the same one to go on with it')
    .addOption(
      new Option('--after <n>', 'lines that were acknowledged before: they are passed over').argParser(
        wholeNumber(0, Number.MAX_SAFE_INTEGER),
      ),
    )
    .addHelpText('after', EXAMPLES)
    .action(ingestFile);
  addClientFlags(addJsonFlag(command));
}

const EXAMPLES = `
Examples:
  $ tail -F events.jsonl | mneme ingest --json
  $ mneme ingest day.jsonl --stream-id day-17 --after 12000`;

async function ingestFile(file: string, flags: IngestFlags): Promise<void> {
  const { conflict, streamId, after = 0, json } = flags;
  const input = await openJsonLines(file);
  const name = file === '-' ? 'stdin' : file;
  await withClient(flags, async (mneme) => {
    const options = { conflict, after, ...(streamId === undefined ? {} : { streamId }) };
    let degraded: IngestProgress['degraded'];
    let counts = { acknowledged: after, stored: 0, existing: 0, refused: 0, revision: 0 };
    for await (const progress of mneme.ingest(memoriesOf(input, name, after), options)) {
      const { acknowledgedSequence, storedCount, existingCount, refusedCount, revision } = progress;
      counts = {
        acknowledged: acknowledgedSequence,
        stored: storedCount,
        existing: existingCount,
        refused: refusedCount,
        revision,
      };
      for (const { sequence, error } of progress.refused) {
        process.stderr.write(`mneme: memory ${sequence}: ${error.message}\n`);
      }
      if (json) await printJson(counts);
      degraded ??= progress.degraded;
    }
    tellDegraded(degraded);
    const { stored, existing, refused } = counts;
    if (!json) await print(`stored ${stored}, already there ${existing}, refused ${refused}`);
    if (refused > 0) throw new CommandFailure(`${refused} memories were refused`);
  });
}

async function* memoriesOf({ lines }: JsonLines, name: string, after: number): AsyncGenerator<NewMemory> {
  let count = 0;
  for await (const { line, number } of lines) {
    count += 1;
    if (count > after) yield parseMemoryLine(line, `${name}:${number}`);
  }
}
