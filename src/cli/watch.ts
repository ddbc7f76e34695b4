import { type Command, Option } from 'commander';
import type { WatchEvent } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { addFilterFlags, type FilterFlags, filterOf } from './filter-flags.ts';
import { memoryJson } from './memory-json.ts';
import { endWithReader, print, printJson } from './output.ts';
import { wholeNumber } from './parse-flag.ts';
import { columnsOf, cut, paint } from './terminal.ts';

interface WatchFlags extends ClientFlags, FilterFlags {
  readonly from?: number;
  readonly touched?: boolean;
  readonly count?: number;
  readonly once?: boolean;
}

export function defineWatch(command: Command): void {
  command
    .description('Prints every change of a namespace as it happens, in order, until it is stopped (Ctrl-C).')
    .addOption(
      new Option('--from <revision>', 'begin with this revision (default: with the next change)').argParser(
        wholeNumber(1, Number.MAX_SAFE_INTEGER),
      ),
    )
    .option('--touched', 'also tell that memories were read with --touch')
    .addOption(new Option('--count <n>', 'end after so many changes').argParser(wholeNumber(1, 1_000_000_000)))
    .option('--once', 'end when everything that has happened so far is told')
    .addHelpText('after', EXAMPLES)
    .action(watch);
  addClientFlags(addFilterFlags(addJsonFlag(command)));
}

const EXAMPLES = `
Examples:
  $ mneme watch
  $ mneme watch --session s1 --type fact
  $ mneme watch --from 1 --once --json`;

async function watch(flags: WatchFlags): Promise<void> {
  endWithReader();
  const filter = filterOf(flags);
  const query = {
    ...(filter ? { filter } : {}),
    ...(flags.from === undefined ? {} : { startRevision: flags.from }),
    includeTouched: flags.touched ?? false,
  };
  await withClient(flags, async (mneme) => {
    let count = 0;
    for await (const event of mneme.watch(query)) {
      if (event.kind === 'caught_up') {
        if (flags.once) return;
        if (!flags.json && count === 0) process.stderr.write(`watching from revision ${event.revision} on\n`);
        continue;
      }
      await (flags.json ? printJson(eventJson(event)) : print(eventLine(event)));
      if (event.kind !== 'relisting' && ++count === flags.count) return;
    }
  });
}

type Told = Exclude<WatchEvent, { kind: 'caught_up' }>;

function eventJson(event: Told): object {
  if (event.kind === 'relisting') return event;
  const { memory, ...rest } = event;
  const { resumeToken: _, ...shown } = 'resumeToken' in rest ? rest : { ...rest, resumeToken: undefined };
  return { ...shown, ...(memory ? { memory: memoryJson(memory) } : {}) };
}

const COLORS = {
  stored: 'green',
  listed: 'green',
  updated: 'yellow',
  deleted: 'red',
  expired: 'red',
  namespace_deleted: 'red',
} as const;

function eventLine(event: Told): string {
  if (event.kind === 'relisting') return paint('dim', 'some changes are no longer kept: all that is there follows');
  const kind = 'leaves' in event && event.leaves ? 'leaves' : event.kind.replaceAll('_', ' ');
  const color = event.kind in COLORS ? COLORS[event.kind as keyof typeof COLORS] : 'cyan';
  const front = `${String(event.revision).padStart(8)}  ${paint(color, kind.padEnd(9))}  ${paint('dim', event.id)}`;
  const text = event.memory?.text ?? '';
  return text === '' ? front : `${front}  ${cut(text, Math.max(columnsOf() - 22 - event.id.length, 20))}`;
}
