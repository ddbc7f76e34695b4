import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import { IDENTITY, IDENTITY_SHAPE } from '../memory/principal.ts';
import { type ApiKey, makeKey } from '../server/identity/api-keys.ts';
import { changeKeyFile, readKeyFile } from '../server/identity/key-file.ts';
import { addJsonFlag } from './client-flags.ts';
import { CommandFailure, messageOf, NOT_FOUND, usage } from './failure.ts';
import { examples } from './help.ts';
import { durationMs } from './parse-flag.ts';
import { paint, print, printEach, printJson, rows } from './terminal.ts';

interface KeyFlags {
  readonly file?: string;
  readonly expires?: number;
  readonly overlap?: number;
  readonly policyFile?: string;
  readonly auditFolder?: string;
  readonly json?: boolean;
}

export function defineKeys(command: Command): void {
  command.description(
    'Make, list, revoke and rotate API keys: bearer tokens of identities. A server started with --api-keys-file reads ' +
      'changes of the file within a second. The file has hashes only: a key is shown once, when it is made.',
  );
  const create = command
    .command('create')
    .argument('<identity>', 'name of the caller in the policy')
    .description('Make a key for an identity and print it.')
    .option('--expires <span>', 'time for which it is valid, such as 90d (default: no limit)', durationMs)
    .addHelpText('after', examples('mneme keys create ada --file keys.json --expires 90d'))
    .action(createKey);
  const list = command
    .command('list')
    .description('List all keys, without their secrets, and with a policy the limits of their identities.')
    .addOption(new Option('--policy-file <path>', 'policy of the server, to show limits').env('MNEME_POLICY_FILE'))
    .addHelpText('after', examples('mneme keys list --file keys.json'))
    .action(listKeys);
  const revoke = command
    .command('revoke')
    .argument('<key>', 'public part of the key')
    .description('Revoke a key by its first 14 characters; calls and streams with it end within a second.')
    .addHelpText('after', examples('mneme keys revoke mnk_7h2kq9x4tz --file keys.json'))
    .action(revokeKey);
  const rotate = command
    .command('rotate')
    .argument('<key>', 'public part of the key')
    .description('Make another key for the identity of a key, and let the former one expire.')
    .option('--overlap <span>', 'time for which the former key stays valid', durationMs, HOUR_MS)
    .option('--expires <span>', 'time for which the new key is valid (default: no limit)', durationMs)
    .addHelpText('after', examples('mneme keys rotate mnk_7h2kq9x4tz --file keys.json --overlap 1d'))
    .action(rotateKey);
  for (const each of [create, list, revoke, rotate]) {
    addJsonFlag(each).addOption(new Option('--file <path>', 'file of the keys').env('MNEME_API_KEYS_FILE'));
  }
  for (const each of [create, revoke, rotate]) {
    each.addOption(new Option('--audit-folder <path>', 'audit log that records the change').env('MNEME_AUDIT_FOLDER'));
  }
  command.addHelpText(
    'after',
    examples('mneme keys create ada --file keys.json', 'mneme serve --api-keys-file keys.json'),
  );
}

const HOUR_MS = 3_600_000;

async function createKey(identity: string, flags: KeyFlags): Promise<void> {
  if (!IDENTITY.test(identity)) throw usage(`<identity>: expected ${IDENTITY_SHAPE}`);
  const make = (keys: readonly ApiKey[]) => {
    const { key, text } = newKey(identity, flags.expires);
    return { keys: [...keys, key], result: { key, text, names: [key.id, identity] } };
  };
  await change(flags, 'CreateKey', make, printMade);
}

async function listKeys(flags: KeyFlags): Promise<void> {
  const limitsOf = await limitsBy(flags.policyFile);
  const file = fileOf(flags);
  if (!existsSync(file)) throw new CommandFailure(`${file} does not exist; "mneme keys create" makes it`);
  await printEach(readKeyFile(file), 'no keys', async (key) => {
    const state = stateOf(key);
    const limits = limitsOf?.(key.identity);
    if (flags.json) {
      await printJson({ ...shownOf(key), state, ...(limits && { limits }) });
      return;
    }
    await print(
      `${paint('bold', key.id)}  ${state.padEnd(7)}  ${key.expireTime ?? 'no expiry'.padEnd(24)}  ${key.identity}`,
    );
    for (const limit of limits ?? []) await print(`${' '.repeat(INDENT_COLUMNS)}${limit}`);
  });
}

/** Width of the column of keys. */
const INDENT_COLUMNS = 16;

/** The limits of identities by a policy file, as texts; `undefined` without one. */
async function limitsBy(path: string | undefined): Promise<((identity: string) => string[]) | undefined> {
  if (path === undefined || path === '') return undefined;
  const [{ policyIn }, { limitTexts }] = await Promise.all([
    import('../server/identity/policy.ts'),
    import('../server/identity/applied-limits.ts'),
  ]);
  try {
    const { limits } = policyIn(readFileSync(path, 'utf8'));
    return (identity) => limitTexts(identity, limits);
  } catch (error) {
    throw usage(`--policy-file: ${messageOf(error)}`);
  }
}

async function revokeKey(id: string, flags: KeyFlags): Promise<void> {
  const revoke = (keys: readonly ApiKey[]) => {
    const key = { revokeTime: new Date().toISOString(), ...keyOf(keys, id) };
    return { keys: replaced(keys, key), result: { key, names: [key.id, key.identity] } };
  };
  await change(flags, 'RevokeKey', revoke, printRevoked);
}

async function printRevoked({ key }: { key: ApiKey }, { json }: KeyFlags): Promise<void> {
  if (json) return printJson({ ...shownOf(key), state: 'revoked' });
  await print(`revoked ${key.id} of ${key.identity}`);
}

async function rotateKey(id: string, flags: KeyFlags): Promise<void> {
  const rotate = (keys: readonly ApiKey[]) => {
    const former = keyOf(keys, id);
    if (stateOf(former) !== 'valid') throw new CommandFailure(`${former.id} is ${stateOf(former)}: make a new key`);
    const endsAtMs = Math.min(Date.now() + (flags.overlap ?? HOUR_MS), Date.parse(former.expireTime ?? '9999-01-01'));
    const { key, text } = newKey(former.identity, flags.expires);
    const kept = replaced(keys, { ...former, expireTime: new Date(endsAtMs).toISOString() });
    return { keys: [...kept, key], result: { key, text, names: [former.id, key.id, key.identity] } };
  };
  await change(flags, 'RotateKey', rotate, printMade);
}

/**
 * Changes the file of the flags, and records the change in an audit log where they name one. Prints it also where the
 * record of its end fails the command: a key that is not printed is lost.
 */
async function change<T extends { readonly names: readonly string[] }>(
  flags: KeyFlags,
  operation: string,
  work: (keys: readonly ApiKey[]) => { keys: ApiKey[]; result: T },
  show: (result: T, flags: KeyFlags) => Promise<void>,
): Promise<void> {
  const path = fileOf(flags);
  if (!flags.auditFolder) return show(changeKeyFile(path, work), flags);
  const [{ auditedKeyChange }, { configOf }] = await Promise.all([
    import('../server/audit/key-changes.ts'),
    import('./serve.ts'),
  ]);
  const config = configOf({ auditFolder: flags.auditFolder });
  const limits = { fileBytes: config.auditFileBytes, totalBytes: config.auditTotalBytes };
  const about = { identity: systemUser(), method: `mneme.cli.Keys/${operation}` };
  let failure: Error | undefined;
  const result = changeKeyFile(path, work, ({ names }, make) => {
    failure = auditedKeyChange(config.auditFolder, limits, { ...about, names }, make);
  });
  await show(result, flags);
  if (failure) throw failure;
}

/** The user of the operating system that runs the command; a container's may have no name. */
function systemUser(): string {
  try {
    return `user:${userInfo().username}`;
  } catch {
    return `user:${process.getuid?.() ?? ''}`;
  }
}

function newKey(identity: string, expiresInMs: number | undefined): { key: ApiKey; text: string } {
  const { id, hash, text } = makeKey(randomBytes);
  const now = Date.now();
  const expiry = expiresInMs === undefined ? {} : { expireTime: new Date(now + expiresInMs).toISOString() };
  return { key: { id, identity, hash, createTime: new Date(now).toISOString(), ...expiry }, text };
}

async function printMade({ key, text }: { key: ApiKey; text: string }, { json }: KeyFlags): Promise<void> {
  if (json) return printJson({ ...shownOf(key), key: text });
  await print(
    rows([
      ['key', text],
      ['identity', key.identity],
      ['expires', key.expireTime ?? 'never'],
    ]).join('\n'),
  );
  await print('Keep it now: it is not shown again.');
}

function shownOf({ hash: _, ...shown }: ApiKey): Omit<ApiKey, 'hash'> {
  return shown;
}

function stateOf({ revokeTime, expireTime }: ApiKey): 'valid' | 'revoked' | 'expired' {
  if (revokeTime !== undefined) return 'revoked';
  return expireTime !== undefined && Date.parse(expireTime) <= Date.now() ? 'expired' : 'valid';
}

function keyOf(keys: readonly ApiKey[], id: string): ApiKey {
  // A whole key is taken too; the message has no secret.
  const key = keys.find((one) => one.id === id.slice(0, one.id.length));
  if (key) return key;
  throw new CommandFailure(`there is no key ${JSON.stringify(id.slice(0, 14))}; "mneme keys list" lists all keys`, {
    exitCode: NOT_FOUND,
  });
}

function replaced(keys: readonly ApiKey[], changed: ApiKey): ApiKey[] {
  return keys.map((key) => (key.id === changed.id ? changed : key));
}

function fileOf({ file }: KeyFlags): string {
  if (file) return file;
  throw usage('--file: name the file of the keys, as --api-keys-file of the server does, or set MNEME_API_KEYS_FILE');
}
