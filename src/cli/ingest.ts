import { type Command, Option } from 'commander';
import type { ConflictPolicy, NewMemory } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { CommandFailure, FirstFaults, INPUT_REFUSED, INTERRUPTED, PARTLY_DONE } from './failure.ts';
import { countOf } from './imported-lines.ts';
import { type JsonLine, type JsonLines, openJsonLines } from './json-lines.ts';
import { reportBreaks } from './notices.ts';
import { wholeNumber } from './parse-flag.ts';
import { LineFault, parseMemoryLine } from './parse-memory-line.ts';
import { progressBar } from './progress-bar.ts';
import { print, printJson } from './terminal.ts';

interface IngestFlags extends ClientFlags {
  readonly conflict: ConflictPolicy;
  readonly streamId?: string;
  readonly after?: number;
}

export function defineIngest(command: Command): void {
  command
    .description(
      'Store memories from JSON lines as they arrive, such as the output of a program that keeps running. ' +
        'A line that cannot be stored is reported and skipped. After a crash, --stream-id and --after continue without a gap. ' +
        'Ctrl-C stores what was read and ends; a second Ctrl-C ends at once.',
    )
    .argument('[file]', 'file to read; "-" is stdin', '-')
    .addOption(
      new Option('--conflict <policy>', 'what to do when the id exists')
        .choices(['keep', 'replace', 'fail'])
        .default('keep'),
    )
    .option('--stream-id <id>', 'name of the stream; give the same one to continue it')
    .addOption(
      new Option('--after <n>', 'skip so many lines, which were acknowledged before').argParser(
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
  const faults = new FirstFaults({ json: json === true });
  const source = new MemoryLines(input, { name, after, faults });
  const interrupt = () => source.interrupt();
  process.once('SIGINT', interrupt);
  const bar = progressBar('on disk');
  await withClient(flags, async (mneme) => {
    const options = {
      ...reportBreaks(() => bar.stop()),
      conflictPolicy: conflict,
      acknowledgedSequence: after,
      streamId,
    };
    let counts = { acknowledged: after, stored: 0, existing: 0, refused: 0, revision: 0 };
    for await (const progress of mneme.ingest(source.memories(), options)) {
      const { acknowledgedSequence, storedCount, existingCount, refusedCount, revision } = progress;
      counts = {
        acknowledged: acknowledgedSequence,
        stored: storedCount,
        existing: existingCount,
        refused: refusedCount,
        revision,
      };
      if (progress.refused.length > 0) bar.stop();
      for (const { sequence, error } of progress.refused) {
        if (!source.unreadable.delete(sequence)) {
          faults.report(new CommandFailure(`memory ${sequence}: ${error.message}`));
        }
      }
      if (json) await printJson(counts);
      else bar.update(acknowledgedSequence - after);
    }
    bar.stop();
    faults.reportOthers('lines like these');
    const { stored, existing, refused } = counts;
    if (!json) await print(`stored ${stored}, already there ${existing}, refused ${refused}`);
    if (source.isInterrupted)
      throw new CommandFailure('interrupted: what was read is on disk', { exitCode: INTERRUPTED });
    if (refused > 0) {
      const exitCode = stored + existing > 0 ? PARTLY_DONE : INPUT_REFUSED;
      throw new CommandFailure(`${countOf(refused)} not stored`, { exitCode });
    }
  }).finally(() => {
    bar.stop();
    process.off('SIGINT', interrupt);
  });
}

interface LinesOptions {
  /** File that the lines are of, as messages name it. */
  readonly name: string;
  /** Lines to be skipped. */
  readonly after: number;
  readonly faults: FirstFaults;
}

/** Memories of lines, one for each: their numbers are those of the lines. */
export class MemoryLines {
  /** Numbers of lines that are none. */
  readonly unreadable = new Set<number>();
  private readonly input: JsonLines;
  private readonly options: LinesOptions;
  private readonly end = Promise.withResolvers<void>();
  isInterrupted = false;

  constructor(input: JsonLines, options: LinesOptions) {
    this.input = input;
    this.options = options;
  }

  interrupt(): void {
    process.stderr.write('mneme: storing what was read (Ctrl-C again ends at once)\n');
    this.isInterrupted = true;
    this.end.resolve();
    this.input.close();
  }

  async *memories(): AsyncGenerator<NewMemory> {
    const lines = this.input.lines[Symbol.asyncIterator]();
    for (let count = 1; ; count++) {
      const next = await Promise.race([lines.next(), this.end.promise]);
      if (!next || next.done || this.isInterrupted) return;
      if (count > this.options.after) yield this.memoryOf(next.value, count);
    }
  }

  /** A refused memory keeps the number of its line. */
  private memoryOf(line: JsonLine, count: number): NewMemory {
    try {
      return parseMemoryLine(line, this.options.name).memory;
    } catch (error) {
      if (!(error instanceof LineFault)) throw error;
      this.options.faults.report(error);
      this.unreadable.add(count);
      return {};
    }
  }
}
