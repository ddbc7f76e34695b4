import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { addClientFlags, type ClientFlags, withClient } from './client-flags.ts';
import { addFilterFlags, type FilterFlags, filterOf } from './filter-flags.ts';
import { memoryLine } from './memory-json.ts';
import { progressBar } from './progress-bar.ts';

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
    .addHelpText('after', EXAMPLES)
    .action(exportAll);
  addClientFlags(addFilterFlags(command));
}

const EXAMPLES = `
Examples:
  $ mneme export > memories.jsonl
  $ mneme export --session s1 --out s1.jsonl
  $ mneme export --speaker Caroline | jq -r .text`;

async function exportAll(flags: ExportFlags): Promise<void> {
  const filter = filterOf(flags);
  const bar = progressBar('exporting');
  // A copy of everything leaves nothing out, unless it is asked for from somewhere.
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
