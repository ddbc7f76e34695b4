import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { packageVersion } from '../server/config/version.ts';
import { makeBackup } from '../storage/sqlite/backup/make-backup.ts';
import type { BackupSummary } from '../storage/sqlite/backup/manifest.ts';
import { listBackups, type VerifiedBackup, verifyBackups } from '../storage/sqlite/backup/verify-backup.ts';
import { addJsonFlag, dataFlag } from './client-flags.ts';
import { examples } from './help.ts';
import { wholeNumber } from './parse-flag.ts';
import { downloadBar, progressBar } from './progress-bar.ts';
import { configOf } from './serve.ts';
import { counted, print, printJson } from './terminal.ts';
import { failingClearly } from './verify.ts';

interface BackupFlags {
  readonly json?: boolean;
  readonly data?: string;
  readonly keep?: number;
}

const KEEP_MAX = 100_000;

export function defineBackup(command: Command): void {
  command
    .description(
      'Make a backup of a data folder, or, with MNEME_POSTGRES_URL, of PostgreSQL; servers may use it meanwhile, and no ' +
        'write waits. The copy is of one instant and is verified. A second backup of a folder adds only what has changed.',
    )
    .argument('<path>', 'folder of the backups, created if needed')
    .addOption(dataFlag('data folder to back up'))
    .option('--keep <count>', 'remove all but this many newest backups afterwards (all stay)', wholeNumber(1, KEEP_MAX))
    .addHelpText(
      'after',
      examples(
        'mneme backup /backup/mneme',
        'mneme backup /backup/mneme --data /var/lib/mneme --keep 24',
        'MNEME_POSTGRES_URL=postgresql://mneme@db/mneme mneme backup /backup/mneme',
      ),
    )
    .action(backup);
  addJsonFlag(command);
  const list = command
    .command('list')
    .description('List the backups of a folder, oldest first.')
    .argument('<path>', 'folder of the backups')
    .addHelpText('after', examples('mneme backup list /backup/mneme'))
    .action(listAll);
  const verify = command
    .command('verify')
    .description(
      'Read every byte of every backup and compare checksums. Ends with 1 when a backup is damaged, or there is none.',
    )
    .argument('<path>', 'folder of the backups')
    .addHelpText('after', examples('mneme backup verify /backup/mneme'))
    .action(verifyAll);
  for (const each of [list, verify]) addJsonFlag(each);
}

async function backup(path: string, flags: BackupFlags): Promise<void> {
  const config = configOf({ data: flags.data });
  // A folder that is named is backed up, wherever a server would have its records.
  const isOfPostgres = config.postgresUrl !== '' && flags.data === undefined;
  const bar = progressBar('copying');
  const common = { repository: path, keep: flags.keep, version: packageVersion(), nowMs: Date.now };
  const { folder, manifest, removed } = await failingClearly(async () => {
    if (isOfPostgres) {
      const { backUpPostgres } = await import('../server/assembly/backup-postgres.ts');
      return backUpPostgres({
        ...common,
        config,
        term: randomUUID(),
        onProgress: (done, total) => bar.update(done, total),
      });
    }
    const onProgress = (copied: number, total: number) => downloadBar(bar)('mneme.db', copied, total);
    const done = await makeBackup({ ...common, folder: config.data, onProgress });
    return { ...done, folder: config.data };
  }).finally(() => bar.stop());
  const missing = missingIn(manifest);
  if (missing !== undefined) {
    const when = manifest.logs ? 'before PostgreSQL' : 'after the data folder';
    process.stderr.write(`mneme: ${missing}: back up Redis itself for them, ${when} (docs/backup.md)\n`);
  }
  if (flags.json) return printJson({ ...summaryOf({ number: manifest.number, manifest }), removed });
  const size = `${manifest.packBytes} bytes new of ${manifest.bytes}`;
  await print(`backup ${manifest.number} of ${folder} is in ${path}: ${contentsOf(manifest)}, ${size}`);
  if (removed.length > 0) await print(`removed ${counted(removed.length, 'older backup')}`);
}

/** What a store that a backup does not read may have; `undefined`: nothing. */
export function missingIn({ sessionsAreInRedis }: BackupSummary): string | undefined {
  return sessionsAreInRedis ? 'sessions and lifecycle events are in Redis, and not in the backup' : undefined;
}

/** Flags that the command has as well are taken for its own, also behind the name of a subcommand. */
function isJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: boolean }>().json === true;
}

async function listAll(path: string, _: object, command: Command): Promise<void> {
  const backups = await failingClearly(async () => listBackups(path));
  await printBackups(backups, isJson(command));
}

async function verifyAll(path: string, _: object, command: Command): Promise<void> {
  const json = isJson(command);
  const bar = progressBar('verifying');
  const backups = await failingClearly(async () => verifyBackups(path, (done, total) => bar.update(done, total)));
  bar.stop();
  await printBackups(backups, json);
  if (!json && backups.every(({ problem }) => problem === undefined)) {
    await print(`${path} is whole: ${counted(backups.length, 'backup')}`);
  }
  if (backups.some(({ problem }) => problem !== undefined)) process.exitCode = 1;
}

async function printBackups(backups: readonly VerifiedBackup[], json: boolean): Promise<void> {
  for (const one of backups) await (json ? printJson(summaryOf(one)) : print(lineOf(one)));
}

function lineOf({ number, manifest, problem }: VerifiedBackup): string {
  const damage = problem === undefined ? '' : `damaged: ${problem}`;
  if (!manifest) return `${number}  ${damage}`;
  const described = `${number}  ${manifest.time}  ${contentsOf(manifest)}, ${manifest.bytes} bytes`;
  return problem === undefined ? described : `${described}  ${damage}`;
}

function contentsOf({ memoryCount, revision }: NonNullable<VerifiedBackup['manifest']>): string {
  return `${counted(memoryCount, 'memory', 'memories')} at revision ${revision}`;
}

function summaryOf({ number, manifest, problem }: VerifiedBackup): object {
  const ok = problem === undefined;
  if (!manifest) return { number, ok, problem };
  const { time, version, schema, revision, memoryCount, namespaces, bytes, packBytes, sha256 } = manifest;
  return { number, ok, problem, time, version, schema, revision, memoryCount, namespaces, bytes, packBytes, sha256 };
}
