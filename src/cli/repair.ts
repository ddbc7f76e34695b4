import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { restoreBackup } from '../storage/sqlite/backup/restore-backup.ts';
import { type Repair, type RepairOptions, repairFolder } from '../storage/sqlite/damage/repair.ts';
import { addJsonFlag, dataFlag } from './client-flags.ts';
import { examples } from './help.ts';
import { progressBar } from './progress-bar.ts';
import { configOf } from './serve.ts';
import { counted, print, printJson } from './terminal.ts';
import { failingClearly, nameOf, problemOf } from './verify.ts';

interface RepairFlags {
  readonly data?: string;
  readonly backup?: string;
  readonly json?: boolean;
}

export function defineRepair(command: Command): void {
  command
    .description(
      'Copy what is sound in a damaged data folder into a new file, make all indexes anew, and put it in the place ' +
        'of the damaged one, which is kept. Stop the server first. Lists what is lost, and ends with 1 then.',
    )
    .addOption(dataFlag('data folder to repair'))
    .option(
      '--backup <path>',
      'folder of "mneme backup", or a copy of the data folder, from which lost memories are taken',
    )
    .addHelpText('after', examples('mneme repair', 'mneme repair --data /var/lib/mneme --backup /backup/mneme'))
    .action(repair);
  addJsonFlag(command);
}

async function repair({ data, backup, json }: RepairFlags): Promise<void> {
  const folder = configOf({ data }).data;
  const bars = { verifying: progressBar('verifying'), copying: progressBar('copying') };
  const onProgress: RepairOptions['onProgress'] = (what, count, total) => {
    if (what === 'copying') bars.verifying.stop();
    bars[what].update(count, total);
  };
  const done = await failingClearly(async () =>
    withCopy(backup, async (copy) => repairFolder({ folder, backup: copy, nowMs: Date.now(), onProgress })),
  ).finally(() => {
    for (const bar of Object.values(bars)) bar.stop();
  });
  if (json) await printJson(done);
  else for (const line of linesOf(done, folder)) await print(line);
  const { lost, tables, namespaces, sessions } = done;
  if (lost.length + tables.length + namespaces.length + sessions.length > 0) process.exitCode = 1;
}

/** A copy of a data folder; of a folder of backups the newest one, restored for as long as it is used. */
async function withCopy<Result>(
  path: string | undefined,
  use: (copy: string | undefined) => Promise<Result>,
): Promise<Result> {
  if (path === undefined || existsSync(join(path, 'mneme.db'))) return use(path);
  const restored = await mkdtemp(join(tmpdir(), 'mneme-repair-'));
  try {
    const folder = join(restored, 'data');
    restoreBackup({ repository: path, folder, force: false, nowMs: Date.now(), term: randomUUID() });
    return await use(folder);
  } finally {
    await rm(restored, { recursive: true, force: true });
  }
}

function linesOf(done: Repair, folder: string): string[] {
  if (done.wasWhole) return [`${folder} is whole: nothing was changed`];
  return [
    ...done.lost.map((memory) => `lost      ${nameOf(memory)}`),
    ...done.restored.map((memory) => `restored  ${nameOf(memory)}, as it is in the backup`),
    ...done.withoutVector.map((memory) => `vector    ${nameOf(memory)} waits for its vector to be computed again`),
    ...done.namespaces.map((name) => `settings  namespaces/${name} has the usual settings again: its own are lost`),
    ...done.sessions.map((session) => `session   ${problemOf(session)}: the rest is kept`),
    ...done.tables.map((name) => `table     ${name} may have lost rows`),
    `${folder} is repaired: ${counted(done.copiedCount, 'memory', 'memories')} copied, ${done.lost.length} lost; the damaged file is ${done.keptFile}`,
  ];
}
