import { type Command, Option } from 'commander';
import type { AuditEntry } from '../memory/audit-record.ts';
import { readAudit } from '../server/audit/read-audit.ts';
import { addJsonFlag } from './client-flags.ts';
import { CommandFailure, usage } from './failure.ts';
import { examples } from './help.ts';
import { endTime, time, wholeNumber } from './parse-flag.ts';
import { configOf } from './serve.ts';
import { counted, print, printable, printJson } from './terminal.ts';

interface AuditFlags {
  readonly folder?: string;
  readonly identity?: string;
  readonly namespace?: string;
  readonly method?: string;
  readonly outcome?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly limit: number;
  readonly json?: boolean;
}

const LIMIT = 1000;
const LIMIT_MAX = 1_000_000;

export function defineAudit(command: Command): void {
  command
    .description(
      'Show the audit log of a server: administrative and destructive operations, calls of them that were refused for ' +
        'lack of permission, and changes of API keys, with their caller, time and extent. Reads the files of the folder; the server may write to them meanwhile.',
    )
    .addOption(new Option('--folder <path>', 'folder of the audit log (MNEME_AUDIT_FOLDER)'))
    .addOption(new Option('--identity <name>', 'only operations of this caller'))
    .addOption(new Option('--namespace <id>', 'only operations on this namespace'))
    .addOption(new Option('--method <name>', 'only this method, such as DeleteNamespace'))
    .addOption(new Option('--outcome <reason>', 'only this outcome: OK, UNKNOWN or the reason of an error'))
    .addOption(new Option('--since <time>', 'only from this time on').argParser(time))
    .addOption(new Option('--until <time>', 'only before this time; a day is included').argParser(endTime))
    .addOption(new Option('--limit <count>', 'the newest so many').default(LIMIT).argParser(wholeNumber(1, LIMIT_MAX)))
    .addHelpText('after', examples('mneme audit --folder audit', 'mneme audit --method ForgetMemories --json'))
    .action(audit);
  addJsonFlag(command);
}

async function audit({ folder: auditFolder, json, limit, since, until, ...filter }: AuditFlags): Promise<void> {
  const folder = configOf({ auditFolder }).auditFolder;
  if (folder === '') throw usage('--folder: name the folder of the audit log, or set MNEME_AUDIT_FOLDER');
  const times = { since: since?.toISOString(), until: until?.toISOString() };
  const { entries, unreadableCount } = await readAudit(folder, { ...filter, ...times }, limit).catch(
    (cause: NodeJS.ErrnoException) => {
      throw new CommandFailure(cause.code === undefined ? cause.message : `${folder} cannot be read (${cause.code})`);
    },
  );
  if (json) return printJson({ entries, unreadableCount });
  for (const entry of entries) await print(lineOf(entry));
  if (unreadableCount > 0) {
    await print(`${counted(unreadableCount, 'line')} cannot be read: torn by a crash, or damaged`);
  }
  if (entries.length === 0) await print('no operations');
}

function lineOf({ at, identity, method, namespace, names, outcome, count, callCount, dryRun }: AuditEntry): string {
  const what = method.slice(method.lastIndexOf('/') + 1) || 'other calls';
  const about = names.length > 0 ? names.join(' ') : namespace === '' ? 'server' : `namespaces/${namespace}`;
  const extent = callCount !== undefined ? `  ${counted(callCount, 'call')}` : count === undefined ? '' : `  ${count}`;
  return printable(
    `${at}  ${identity || 'other callers'}  ${what}${dryRun ? ' (dry run)' : ''}  ${about}  ${outcome}${extent}`,
  );
}
