import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { Migrated, MigrationOptions } from '../server/assembly/migrate-store.ts';
import { addJsonFlag, dataFlag } from './client-flags.ts';
import { CommandFailure, usage } from './failure.ts';
import { examples } from './help.ts';
import { progressBar } from './progress-bar.ts';
import { configOf } from './serve.ts';
import { counted, print, printJson } from './terminal.ts';
import { failingClearly } from './verify.ts';

interface MigrateFlags {
  readonly data?: string;
  readonly to: 'postgres' | 'folder';
  readonly json?: boolean;
}

export function defineMigrate(command: Command): void {
  command
    .description(
      'Move everything in a data folder into PostgreSQL, or back into a folder, and compare both by checksums. ' +
        'Stop the servers first. PostgreSQL is that of MNEME_POSTGRES_URL and MNEME_POSTGRES_SCHEMA. Killed or ' +
        'interrupted at any moment, the same command goes on where it was. Servers refuse the source afterwards.',
    )
    .addOption(
      new Option('--to <place>', 'where the records are to be').choices(['postgres', 'folder']).makeOptionMandatory(),
    )
    .addOption(dataFlag('data folder that is moved, or that is filled'))
    .addHelpText(
      'after',
      examples(
        'MNEME_POSTGRES_URL=postgresql://db/mneme mneme migrate --to postgres',
        'mneme migrate --to folder --data ./back',
      ),
    )
    .action(migrate);
  addJsonFlag(command);
}

async function migrate({ data, to, json }: MigrateFlags): Promise<void> {
  const config = configOf({ data });
  if (config.postgresUrl === '') throw usage('set MNEME_POSTGRES_URL to the PostgreSQL to migrate to or from');
  const store = await import('../server/assembly/migrate-store.ts');
  const bar = progressBar('copying');
  const verifying = progressBar('verifying');
  const options: MigrationOptions = {
    config,
    term: randomUUID(),
    nowMs: Date.now,
    sleep,
    onProgress: (step, done, total) => {
      if (step === 'verifying') bar.stop();
      (step === 'copying' ? bar : verifying).update(done, total);
    },
  };
  const run = to === 'postgres' ? store.migrateToPostgres : store.migrateToFolder;
  const done = await failingClearly(async () => run(options)).finally(() => {
    bar.stop();
    verifying.stop();
  });
  if (json) await printJson(done);
  else for (const line of linesOf(done, to)) await print(line);
  if (!done.isWhole) {
    throw new CommandFailure(
      `${done.to} differs from ${done.from}: it is not finished, and no server uses it; run the command again into another one`,
    );
  }
}

/** Rows that are printed. Beyond it, only rows with different checksums are. */
const ROWS_MAX = 500;
const SUM_SHOWN = 16;

function linesOf({ from, to, compared, isWhole, sessionsAreInRedis }: Migrated, place: MigrateFlags['to']): string[] {
  const rows = compared.map(({ kind, namespace, source, target, isEqual }) => [
    namespace === '' ? '(all)' : namespace,
    kind,
    isEqual ? String(source.count) : `${source.count} and ${target.count}`,
    isEqual ? source.sha256.slice(0, SUM_SHOWN) : `${source.sha256.slice(0, SUM_SHOWN)} DIFFERS`,
  ]);
  const shown = rows.filter((row, at) => at < ROWS_MAX || row[3]?.endsWith('DIFFERS'));
  const table = tableOf([['namespace', 'kind', 'count', 'sha256'], ...shown]);
  const more = rows.length > shown.length ? [`and ${counted(rows.length - shown.length, 'more row')}, all equal`] : [];
  if (!isWhole) return [...table, ...more];
  const memories = compared.reduce((sum, { kind, source }) => sum + (kind === 'memory' ? source.count : 0), 0);
  return [
    ...table,
    ...more,
    `moved ${from} to ${to}: ${counted(memories, 'memory', 'memories')}, every checksum is equal`,
    ...(sessionsAreInRedis ? [`the sessions of the folder are in Redis: they are not in ${to}`] : []),
    place === 'postgres'
      ? `${from} is as it was, and servers refuse it: remove ${from}/migrated.json to go back to it`
      : `the tables are as they were, and servers refuse them until DROP TABLE of their table "migration"`,
  ];
}

function tableOf(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
