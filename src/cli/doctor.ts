import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Command, Option } from 'commander';
import { MnemeError, type ServerInfo } from '../../clients/typescript/src/index.ts';
import { GRANTS_NEED_IDENTITIES } from '../server/config/access.ts';
import { type Config, ConfigError, configFrom } from '../server/config/config.ts';
import { checkCertificates } from './certificate-findings.ts';
import {
  addConnectionFlags,
  addJsonFlag,
  addServerFlag,
  type ClientFlags,
  connectionOf,
  dataFlag,
  withClient,
} from './client-flags.ts';
import { CommandFailure, messageOf, probeAddress } from './failure.ts';
import { type Finding, lineOf } from './finding.ts';
import { checkDataFolder, checkDisk } from './folder-findings.ts';
import { examples } from './help.ts';
import { print, printJson } from './terminal.ts';

interface DoctorFlags extends ClientFlags {
  readonly data?: string;
  readonly listen?: string;
}

export function defineDoctor(command: Command): void {
  command
    .description(
      'Check what a server needs on this machine and whether one answers, and say how to repair what is wrong. ' +
        'Takes the same variables as "mneme serve". Ends with 1 when a check fails.',
    )
    .addOption(dataFlag('data folder to check'))
    .addOption(new Option('--listen <host:port>', 'address to check (MNEME_LISTEN, or 127.0.0.1:50051)'))
    .addOption(
      new Option('--namespace <name>', 'namespace to check rights in').env('MNEME_NAMESPACE').default('default'),
    )
    .addHelpText('after', examples('mneme doctor', 'mneme doctor --data /var/lib/mneme --json'))
    .action(doctor);
  addConnectionFlags(addServerFlag(addJsonFlag(command)));
}

async function doctor(flags: DoctorFlags, command: Command): Promise<void> {
  const isServerNamed = command.getOptionValueSource('server') !== 'default';
  const findings = [checkNode(), checkNativeModules(), ...(await settingFindings(flags))];
  findings.push(...(await serverFindings(flags, isServerNamed)));
  const ok = findings.every(({ status }) => status !== 'fail');
  if (flags.json) await printJson({ ok, checks: findings });
  else for (const finding of findings) await print(lineOf(finding));
  if (!ok) process.exitCode = 1;
}

async function settingFindings({ data, listen }: DoctorFlags): Promise<Finding[]> {
  let config: Config;
  try {
    config = configFrom({ flags: { data, listen } });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const fix = '"mneme serve --help" lists the settings';
    return error.problems.map((message) => ({ name: 'settings', status: 'fail', message, fix }));
  }
  const { warnings, redisUrl } = config;
  return [
    ...warnings.map((message): Finding => ({ name: 'settings', status: 'warn', message, fix: 'correct or unset it' })),
    await checkDataFolder(config),
    checkDisk(config.data),
    ...checkCertificates(config),
    ...(await checkPolicy(config)),
    await checkListen(config.listen),
    ...(await checkRedis(redisUrl)),
    ...(await postgresFindings(config)),
  ];
}

type PolicySettings = Pick<
  Config,
  'policyFile' | 'apiKeysFile' | 'jwtKeys' | 'authTokensFile' | 'authTokens' | 'tlsClientIdentities'
>;

/** Whether the policy can be used, and what it has. Loaded only on demand. */
export async function checkPolicy(config: PolicySettings): Promise<Finding[]> {
  const { policyFile, apiKeysFile, jwtKeys, authTokensFile, authTokens, tlsClientIdentities } = config;
  if (policyFile === '') return [];
  const { policyIn } = await import('../server/identity/policy.ts');
  try {
    const { grants, limits } = policyIn(readFileSync(policyFile, 'utf8'));
    const hasIdentities = tlsClientIdentities || apiKeysFile + jwtKeys + authTokensFile + authTokens !== '';
    if (grants && !hasIdentities) {
      const fix = 'set one of them, or take "identities" out of the file (docs/identity.md)';
      return [{ name: 'policy', status: 'fail', message: GRANTS_NEED_IDENTITIES, fix }];
    }
    const granted = grants ? `grants ${grants.size} identities` : 'grants everything to everyone';
    return [
      { name: 'policy', status: 'ok', message: `${policyFile} ${granted}, and has ${limits.length} rules of limits` },
    ];
  } catch (error) {
    const fix = 'correct the file (docs/identity.md, docs/quotas.md) or --policy-file';
    return [{ name: 'policy', status: 'fail', message: messageOf(error), fix }];
  }
}

/** Loaded only on demand: with the driver. */
async function postgresFindings(config: Config): Promise<Finding[]> {
  if (config.postgresUrl === '') return [];
  const { checkPostgres } = await import('../server/assembly/check-postgres.ts');
  return [{ name: 'postgres', ...(await checkPostgres(config)) }];
}

/** That no server runs is only worth a warning, unless one was named. */
async function serverFindings(flags: DoctorFlags, isNamed: boolean): Promise<Finding[]> {
  const { address } = connectionOf(flags);
  let info: ServerInfo;
  try {
    info = await withClient(flags, (mneme) => mneme.admin.getServerInfo());
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isAbsent = error instanceof CommandFailure && error.message.includes('connection refused');
    const status = isAbsent && !isNamed ? 'warn' : 'fail';
    return [{ name: 'server', status, message: messageOf(error) }];
  }
  const answers: Finding = { name: 'server', status: 'ok', message: `mneme ${info.version} answers at ${address}` };
  const rights = await rightFindings(flags);
  const degraded = info.degraded.map((message): Finding => ({ name: 'degraded', status: 'warn', message }));
  return [answers, ...rights, ...degraded];
}

/** What the policy of the server refuses to the identity of the caller in its namespace. */
async function rightFindings(flags: DoctorFlags): Promise<Finding[]> {
  try {
    await withClient(flags, (mneme) => mneme.namespaces.get(flags.namespace));
  } catch (error) {
    if (!(error instanceof MnemeError) || error.reason !== 'PERMISSION_MISSING') return [];
    const fix = 'grant it in the policy file of the server (--policy-file), or name another namespace with --namespace';
    return [{ name: 'rights', status: 'fail', message: error.message, fix }];
  }
  return [];
}

const TIMEOUT_MS = 2000;

/** Whether a server could use each Redis. Messages never contain a password. */
export async function checkRedis(urls: readonly string[]): Promise<Finding[]> {
  return Promise.all(urls.map((url) => checkRedisAt(new URL(url))));
}

type Said = Omit<Finding, 'name'>;

async function checkRedisAt(url: URL): Promise<Finding> {
  const answer = await answerOf(url);
  if (await isPlain(url, answer)) return { name: 'redis', ...hasNoTls(url) };
  return { name: 'redis', ...(typeof answer === 'string' ? saidOfReply(answer, url) : saidOfError(answer, url)) };
}

/**
 * Redis without TLS waits for the rest of a TLS hello, which it reads as a command. It is probed again, without
 * credentials.
 */
async function isPlain({ protocol, host }: URL, answer: string | NodeJS.ErrnoException): Promise<boolean> {
  if (protocol !== 'rediss:' || typeof answer === 'string' || answer.code !== 'ETIMEDOUT') return false;
  const plain = await answerOf(new URL(`redis://${host}`));
  return typeof plain === 'string' && /^\+PONG|^-NOAUTH/.test(plain);
}

/** The first line of the answer, or the reason why there is none. */
function answerOf({ protocol, hostname, port, username, password }: URL): Promise<string | NodeJS.ErrnoException> {
  const target = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) };
  const user = decodeURIComponent(username);
  const secret = decodeURIComponent(password);
  const auth = secret === '' ? [] : [command(['AUTH', ...(user === '' ? [] : [user]), secret])];
  return new Promise((done) => {
    const socket: Socket = protocol === 'rediss:' ? connectTls(target) : connect(target);
    const end = (answer: string | NodeJS.ErrnoException) => {
      socket.destroy();
      done(answer);
    };
    const fail = (code: string) => () => end(Object.assign(new Error(code), { code }));
    let reply = '';
    socket.setTimeout(TIMEOUT_MS, fail('ETIMEDOUT'));
    socket.once('error', end);
    socket.once('end', fail('ECONNRESET'));
    socket.on('data', (bytes: Buffer) => {
      reply += bytes.toString('latin1');
      const lines = reply.split('\r\n');
      const first = lines.slice(0, -1).find((line) => line !== '+OK');
      // A TLS peer, or another service, may never send a complete line.
      if (first !== undefined) end(first);
      else if (!/^[+-]/.test(reply)) end(reply);
    });
    socket.write([...auth, command(['PING'])].join(''));
  });
}

function command(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

const TLS_ALERT = '\u0015\u0003';
const START = 'start Redis, or correct MNEME_REDIS_URL';
const CREDENTIALS = 'redis://USER:PASSWORD@host:port, or redis://:PASSWORD@host:port for the default user';

function saidOfReply(line: string, { host, username, password }: URL): Said {
  const user = username === '' ? 'the default user' : `the user ${decodeURIComponent(username)}`;
  if (line === '+PONG') return { status: 'ok', message: `${host} answers${password === '' ? '' : ` to ${user}`}` };
  if (line.startsWith(TLS_ALERT)) return needsTls(host);
  if (line.startsWith('-NOAUTH')) {
    const fix = `put the password into MNEME_REDIS_URL, as ${CREDENTIALS}`;
    return { status: 'fail', message: `${host} wants a password, and MNEME_REDIS_URL has none`, fix };
  }
  if (line.startsWith('-WRONGPASS')) {
    const fix = `correct user and password in MNEME_REDIS_URL, as ${CREDENTIALS}; write signs such as @ and / as %40 and %2F`;
    return { status: 'fail', message: `${host} does not accept the password of ${user} in MNEME_REDIS_URL`, fix };
  }
  if (/^-ERR .*AUTH.*without any password/.test(line)) {
    const fix = 'leave the password out of MNEME_REDIS_URL, or set one in Redis (requirepass)';
    return { status: 'fail', message: `MNEME_REDIS_URL has a password, and ${host} has none set`, fix };
  }
  if (line.startsWith('-NOPERM')) {
    const fix = 'give the user all commands and keys in Redis: ACL SETUSER ... on +@all ~* &*';
    return { status: 'fail', message: `${user} may not use ${host} as Mneme does`, fix };
  }
  if (line.startsWith('-')) return { status: 'warn', message: `${host} answers: ${line.slice(1)}`, fix: START };
  return { status: 'fail', message: `${host} answers, and is not Redis`, fix: START };
}

function needsTls(host: string): Said {
  const fix = 'begin MNEME_REDIS_URL with rediss:// in place of redis://';
  return { status: 'fail', message: `${host} wants TLS, or is not Redis: it ended the connection at once`, fix };
}

function hasNoTls({ host }: Pick<URL, 'host'>): Said {
  const fix = 'begin MNEME_REDIS_URL with redis:// in place of rediss://, or turn on TLS at that port of Redis';
  return { status: 'fail', message: `${host} does not use TLS, and MNEME_REDIS_URL asks for it`, fix };
}

function saidOfError({ code = '', message }: NodeJS.ErrnoException, { protocol, host }: URL): Said {
  const isTls = protocol === 'rediss:';
  if (code === 'ETIMEDOUT') return { status: 'fail', message: `${host} does not answer`, fix: START };
  if (!isTls && code === 'ECONNRESET') return needsTls(host);
  if (isTls && (code === 'ECONNRESET' || /^ERR_SSL_(WRONG_VERSION|PACKET)/.test(code) || code === 'EPROTO')) {
    return hasNoTls({ host });
  }
  if (/CERT|SELF_SIGNED|ALTNAME|ISSUER|VERIFY/.test(code)) {
    const fix = 'name the file of its authority in NODE_EXTRA_CA_CERTS, or renew the certificate';
    return { status: 'fail', message: `the certificate of ${host} is not accepted: ${message}`, fix };
  }
  return { status: 'fail', message: `${host} is not reachable: ${message}`, fix: START };
}

const NODE_MIN: readonly [major: number, minor: number] = [22, 19];

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
  if (isEnough) return { name: 'node', status: 'ok', message: `Node.js ${version}` };
  const message = `Node.js ${version}, needed is ${NODE_MIN.join('.')} or newer`;
  return { name: 'node', status: 'fail', message, fix: 'install a newer Node.js, or run "make setup"' };
}

/** Packages with code that was compiled for one system and processor. */
const NATIVE = ['better-sqlite3', 'usearch'];

export function checkNativeModules(load: (name: string) => unknown = createRequire(import.meta.url)): Finding {
  for (const name of NATIVE) {
    try {
      load(name);
    } catch (error) {
      const [why = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
      const fix = 'install again on this system with "make setup"';
      return { name: 'native modules', status: 'fail', message: `${name} does not load: ${why}`, fix };
    }
  }
  return { name: 'native modules', status: 'ok', message: `${NATIVE.join(' and ')} load` };
}

/** Whether a server could listen at the address, or which one does. */
export async function checkListen(listen: string): Promise<Finding> {
  const name = 'listen address';
  if (listen.endsWith(':0')) return { name, status: 'ok', message: `${listen} takes any free port` };
  const answer = await probeAddress(listen);
  if (answer === 'refused') return { name, status: 'ok', message: `${listen} is free` };
  if (answer === 'grpc' || answer === 'tls') {
    const what = answer === 'tls' ? 'a server with TLS' : 'a gRPC server';
    return { name, status: 'ok', message: `${what} answers at ${listen}` };
  }
  if (answer === 'unknown_host' || answer === 'unreachable') {
    const fix = 'correct --listen or MNEME_LISTEN to an address of this machine';
    return { name, status: 'fail', message: `${listen} is not an address that can be reached from here`, fix };
  }
  const fix = 'stop that program, or choose another port with --listen or MNEME_LISTEN';
  return { name, status: 'fail', message: `${listen} is in use by another program, which is not Mneme`, fix };
}
