import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import type { ConflictPolicy, ImportResult } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { CommandFailure, INPUT_REFUSED, usage } from './failure.ts';
import { addFilterFlags, type FilterFlags, filterOf } from './filter-flags.ts';
import { countOf, ImportedLines, SaidBefore } from './imported-lines.ts';
import { type JsonLines, openJsonLines } from './json-lines.ts';
import { memoryLine } from './memory-output.ts';
import { progressBar } from './progress-bar.ts';
import { print, printJson } from './terminal.ts';

interface ImportFlags extends ClientFlags {
  readonly conflict: ConflictPolicy;
  readonly dedupe?: boolean;
  readonly strict?: boolean;
}

export function defineImport(command: Command): void {
  command
    .description(
      'Store memories from a file of JSON lines, one memory a line, with their ids and times. ' +
        'A line without an id gets one that follows from what it says, so importing a file again changes nothing. ' +
        'A line that cannot be stored is reported and passed over. docs/cli.md lists the keys of a line.',
    )
    .argument('[file]', 'file to read; "-" is stdin', '-')
    .addOption(
      new Option('--conflict <policy>', 'what to do when the id exists')
        .choices(['keep', 'replace', 'fail'])
        .default('keep'),
    )
    .option('--dedupe', 'pass over a line that says what an earlier line or a memory of the namespace says')
    .option('--strict', 'check all lines first; store nothing if one is wrong')
    .addHelpText('after', IMPORT_EXAMPLES)
    .action(importFile);
  addClientFlags(addJsonFlag(command));
}

const IMPORT_EXAMPLES = `
Examples:
  $ mneme import memories.jsonl
  $ mneme import chat.jsonl --dedupe --strict
  $ echo '{"id":"m1","text":"Caroline plays the cello"}' | mneme import
  $ mneme export --namespace a | mneme import --namespace b`;

async function importFile(file: string, flags: ImportFlags): Promise<void> {
  const { strict = false, dedupe = false, json = false, namespace } = flags;
  if (strict && file === '-') throw usage('--strict reads the file twice: name a file');
  const bar = progressBar('importing');
  const options = { name: file === '-' ? 'stdin' : file, namespace, json };
  if (strict) await checkLines(file, new ImportedLines(options, () => bar.stop()));
  const input = await openJsonLines(file);
  await withClient(flags, async (mneme) => {
    try {
      const saidBefore = dedupe ? new SaidBefore() : undefined;
      await saidBefore?.learn(mneme);
      const lines = new ImportedLines({ ...options, saidBefore }, () => bar.stop());
      const imported = await mneme.importMemories(lines.memories(input), {
        conflictPolicy: flags.conflict,
        onProgress: ({ storedCount, skippedCount }) => {
          const count = storedCount + skippedCount;
          if (input.bytesTotal === undefined) bar.update(count);
          else bar.update(input.bytesRead(), input.bytesTotal, `${count} memories`);
        },
        ...(!strict && { onRefused: (refused) => lines.refuse(refused) }),
      });
      bar.stop();
      await printImported(imported, lines, json);
    } finally {
      bar.stop();
      input.close();
    }
  });
}

/** Fails when a line is invalid, before any memory is stored. */
async function checkLines(file: string, lines: ImportedLines): Promise<void> {
  const input: JsonLines = await openJsonLines(file);
  let count = 0;
  for await (const _ of lines.memories(input)) count++;
  const { skippedCount } = lines;
  if (skippedCount === 0) return;
  lines.reportOthers();
  const of = count + skippedCount + lines.duplicateCount;
  throw new CommandFailure(`nothing was stored: ${countOf(skippedCount)} wrong of ${of}`, { exitCode: INPUT_REFUSED });
}

async function printImported(imported: ImportResult, lines: ImportedLines, json: boolean): Promise<void> {
  const { storedCount, skippedCount: unchangedCount, revision } = imported;
  const { skippedCount, duplicateCount } = lines;
  const counts = { createdCount: storedCount, unchangedCount, duplicateCount, skippedCount };
  if (json) await printJson({ ...counts, revision });
  else await print(wordsOf(counts));
  lines.finish(storedCount + unchangedCount);
}

function wordsOf({ createdCount, unchangedCount, duplicateCount, skippedCount }: Record<string, number>): string {
  const duplicates = duplicateCount ? [`duplicates ${duplicateCount}`] : [];
  return [`created ${createdCount}`, `unchanged ${unchangedCount}`, ...duplicates, `skipped ${skippedCount}`].join(
    ', ',
  );
}

interface ExportFlags extends ClientFlags, FilterFlags {
  readonly out?: string;
}

export function defineExport(command: Command): void {
  command
    .description(
      'Write memories as JSON lines, one memory a line, with their vectors, the oldest first. ' +
        '"mneme import" stores the same memories from them, bit for bit.',
    )
    .option('--out <file>', 'file to write to (stdout)')
    .addHelpText('after', EXPORT_EXAMPLES)
    .action(exportAll);
  addClientFlags(addFilterFlags(command));
}

const EXPORT_EXAMPLES = `
Examples:
  $ mneme export > memories.jsonl
  $ mneme export --session s1 --out s1.jsonl
  $ mneme export --speaker Caroline | jq -r .text`;

async function exportAll(flags: ExportFlags): Promise<void> {
  const filter = filterOf(flags);
  const bar = progressBar('exporting');
  // A complete copy includes private scopes, unless --as limits it.
  await withClient({ ...flags, as: flags.as ?? '*' }, async (mneme) => {
    const memories = mneme.exportMemories({
      ...(filter && { filter }),
      onProgress: ({ sentCount, totalCount }) => bar.update(sentCount, filter ? undefined : totalCount),
    });
    async function* lines() {
      for await (const memory of memories) yield `${JSON.stringify(memoryLine(memory))}\n`;
    }
    try {
      const output = flags.out === undefined ? process.stdout : createWriteStream(flags.out);
      await pipeline(Readable.from(lines()), output, { end: flags.out !== undefined });
    } finally {
      bar.stop();
    }
  });
}
