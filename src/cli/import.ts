import { type Command, Option } from 'commander';
import type { ConflictPolicy, ImportedMemory } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { type JsonLines, openJsonLines } from './json-lines.ts';
import { print, printJson } from './output.ts';
import { parseMemoryLine } from './parse-memory-line.ts';
import { progressBar } from './progress-bar.ts';
import { tellDegraded } from './tell-degraded.ts';

interface ImportFlags extends ClientFlags {
  readonly conflict: ConflictPolicy;
}

export function defineImport(command: Command): void {
  command
    .description(
      'Store memories from a file of JSON lines, one memory a line, with their ids and times. ' +
        'docs/cli.md lists the keys of a line.',
    )
    .argument('[file]', 'file to read; "-" is stdin', '-')
    .addOption(
      new Option('--conflict <policy>', 'what to do when the id exists')
        .choices(['keep', 'replace', 'fail'])
        .default('keep'),
    )
    .addHelpText('after', EXAMPLES)
    .action(importFile);
  addClientFlags(addJsonFlag(command));
}

const EXAMPLES = `
Examples:
  $ mneme import memories.jsonl
  $ echo '{"id":"m1","text":"Caroline plays the cello"}' | mneme import
  $ mneme export --namespace a | mneme import --namespace b`;

async function importFile(file: string, flags: ImportFlags): Promise<void> {
  const input = await openJsonLines(file);
  const bar = progressBar('importing');
  await withClient(flags, async (mneme) => {
    try {
      const memories = memoriesOf(input, file === '-' ? 'stdin' : file);
      const imported = await mneme.import(memories, {
        conflict: flags.conflict,
        onProgress: ({ storedCount, skippedCount }) => {
          const count = storedCount + skippedCount;
          if (input.bytesTotal === undefined) bar.update(count);
          else bar.update(input.bytesRead(), input.bytesTotal, `${count} memories`);
        },
      });
      bar.stop();
      if (flags.json) await printJson(imported);
      else await print(`imported ${imported.storedCount}, already there ${imported.skippedCount}`);
      tellDegraded(imported.degraded);
    } finally {
      bar.stop();
    }
  });
}

async function* memoriesOf({ lines }: JsonLines, name: string): AsyncGenerator<ImportedMemory> {
  for await (const line of lines) yield parseMemoryLine(line, name);
}
