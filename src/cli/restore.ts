import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { type Restored, restoreBackup } from '../storage/sqlite/backup/restore-backup.ts';
import type { RestorePoint } from '../storage/sqlite/backup/select-backup.ts';
import { missingIn } from './backup.ts';
import { addJsonFlag, dataFlag } from './client-flags.ts';
import { usage } from './failure.ts';
import { examples } from './help.ts';
import { time, wholeNumber } from './parse-flag.ts';
import { downloadBar, progressBar } from './progress-bar.ts';
import { configOf } from './serve.ts';
import { counted, print, printJson } from './terminal.ts';
import { failingClearly } from './verify.ts';

interface RestoreFlags {
  readonly data?: string;
  readonly at?: RestorePoint;
  readonly backup?: number;
  readonly force?: boolean;
  readonly json?: boolean;
}

export function defineRestore(command: Command): void {
  command
    .description(
      'Restore a data folder from a backup: the newest, one by its number, or the state at a revision or a time. ' +
        'Stop the server of the folder first. Killed at any moment, the folder is as it was or restored.',
    )
    .argument('<path>', 'folder of the backups')
    .addOption(dataFlag('data folder to restore'))
    .option('--backup <number>', 'number of the backup, as "mneme backup list" shows it', wholeNumber(1, 1e9))
    .option(
      '--at <point>',
      'revision or time, such as 1200 or 2026-11-01T15:30, if the change log leads to it; in backups of PostgreSQL a ' +
        'revision of a namespace, such as default@1200',
      pointOf,
    )
    .option('--force', 'replace the database of a folder that is not empty; the former one is kept beside it')
    .addHelpText(
      'after',
      examples(
        'mneme restore /backup/mneme --data /var/lib/mneme',
        'mneme restore /backup/mneme --at 2026-11-01T15:30 --data ./restored',
        'mneme restore /backup/mneme --backup 12 --force',
      ),
    )
    .action(restore);
  addJsonFlag(command);
}

function pointOf(text: string): RestorePoint {
  const [, namespace, revision] = /^([^@]+)@(\d{1,16})$/.exec(text) ?? [];
  if (namespace !== undefined) return { namespace, revision: Number(revision) };
  if (/^\d{1,16}$/.test(text)) return { revision: Number(text) };
  try {
    return { timeMs: time(text).getTime() };
  } catch {
    throw new InvalidArgumentError(
      'Expected a revision or a time, such as 1200, default@1200, 2026-11-01T15:30 or "2 hours ago".',
    );
  }
}

async function restore(path: string, { data, at, backup, force = false, json }: RestoreFlags): Promise<void> {
  if (at !== undefined && backup !== undefined) throw usage('--at and --backup exclude each other');
  const folder = configOf({ data }).data;
  const point = backup === undefined ? at : { number: backup };
  const bar = progressBar('restoring');
  const onProgress = (written: number, total: number) => downloadBar(bar)('mneme.db', written, total);
  const options = { repository: path, folder, point, force, nowMs: Date.now(), term: randomUUID(), onProgress };
  const done = await failingClearly(async () => restoreBackup(options)).finally(() => bar.stop());
  const missing = missingIn(done.manifest);
  if (missing !== undefined)
    process.stderr.write(`mneme: ${missing}: restore Redis itself for them (docs/backup.md)\n`);
  if (json) return printJson(summaryOf(done));
  for (const line of linesOf(done, folder)) await print(line);
}

function linesOf({ manifest, rewound, keptFile }: Restored, folder: string): string[] {
  const { number, time: at, memoryCount, revision } = manifest;
  const state = rewound
    ? `the memories of ${rewound.time ?? `revision ${rewound.revision}`}, from backup ${number}: ${laterIn(rewound)} that came later erased, ${rewound.restoredCount} as before`
    : `backup ${number} of ${at}: ${counted(memoryCount, 'memory', 'memories')} at revision ${revision}`;
  return [
    `${folder} has ${state}`,
    ...(rewound && rewound.withoutVectorCount > 0
      ? [`${counted(rewound.withoutVectorCount, 'memory waits', 'memories wait')} for a vector to be computed again`]
      : []),
    ...(keptFile === '' ? [] : [`the former database is ${keptFile}`]),
  ];
}

function laterIn({ erasedCount, namespaces }: NonNullable<Restored['rewound']>): string {
  const memories = counted(erasedCount, 'memory', 'memories');
  return namespaces.length === 0 ? memories : `${memories} and ${counted(namespaces.length, 'namespace')}`;
}

function summaryOf({ manifest, rewound, keptFile }: Restored): object {
  const { number, time: at, revision, memoryCount } = manifest;
  return { number, time: at, revision, memoryCount, rewound, keptFile };
}
