import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CallerScope, connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { explained, usage } from './failure.ts';
import { checkNamespace, inFlags } from './flag-names.ts';
import { CONNECTION_GROUP } from './help.ts';
import { durationMs } from './parse-flag.ts';

const DEFAULT_SERVER = '127.0.0.1:50051';
const PORT_MAX = 65_535;

/** Flags of every command that is a client of a server. */
export interface ClientFlags {
  readonly server: string;
  readonly namespace: string;
  readonly token?: string;
  readonly as?: CallerScope | '*';
  readonly tls?: boolean;
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsServerName?: string;
  readonly timeout?: number;
  readonly json?: boolean;
}

export function addClientFlags(command: Command): Command {
  addServerFlag(command).addOption(
    new Option('--namespace <name>', 'namespace to work in').env('MNEME_NAMESPACE').default('default'),
  );
  return addConnectionFlags(command);
}

/** Commands with their arguments are listed for every user of a machine. Where a variable names the secret, no warning follows. */
export function warnOfSecret(command: Command, flag: string, variable: string): void {
  command.on(`option:${flag.slice(2)}`, () => {
    process.stderr.write(
      `mneme: ${flag}: other users of this machine see it in the list of processes; set ${variable} instead\n`,
    );
  });
}

/** Which server. */
export function addServerFlag(command: Command): Command {
  return command.addOption(
    group(new Option('--server <address>', 'host:port').env('MNEME_SERVER').default(DEFAULT_SERVER)),
  );
}

/** How to connect to a server, except its address. Call it last: it ends the help. */
export function addConnectionFlags(command: Command): Command {
  warnOfSecret(command, '--token', 'MNEME_TOKEN');
  return command
    .addOption(group(new Option('--token <token>', 'credential (set it by the variable)').env('MNEME_TOKEN')))
    .addOption(
      group(
        new Option('--as <scope>', 'scope to call from, such as project=p&agent=ada; * sees all')
          .env('MNEME_AS')
          .argParser(callerOf),
      ),
    )
    .addOption(group(new Option('--tls', 'encrypt the connection')))
    .addOption(group(new Option('--tls-ca <file>', 'PEM file of the authorities to trust; implies --tls')))
    .addOption(group(new Option('--tls-cert <file>', 'PEM file of the certificate to show')))
    .addOption(group(new Option('--tls-key <file>', 'PEM file of its key')))
    .addOption(group(new Option('--tls-server-name <name>', 'name that the certificate of the server is for')))
    .addOption(
      group(
        new Option('--timeout <span>', 'longest wait for an answer, such as 30s')
          .env('MNEME_TIMEOUT')
          .argParser(timeoutOf),
      ),
    )
    .addHelpText('after', '\nFor --server, --token, --tls and --timeout, see "mneme help server".');
}

function group(option: Option): Option {
  return option.helpGroup(CONNECTION_GROUP);
}

export function addJsonFlag(command: Command): Command {
  return command.option('--json', 'print JSON, as documented in docs/cli.md');
}

/** `--all` is about all namespaces. A namespace that a variable names is only a default. */
export function refuseNamespaceWithAll({ all }: { readonly all?: boolean }, command: Command): void {
  const isNamed = command.getOptionValueSource('namespace') === 'cli';
  if (all && isNamed) throw usage('--all and --namespace exclude each other');
}

/** Runs with a client that is closed afterwards. */
export async function withClient<Result>(flags: ClientFlags, use: (mneme: Mneme) => Promise<Result>): Promise<Result> {
  const mneme = clientOf(flags);
  try {
    return await use(mneme);
  } catch (error) {
    throw inFlags(await explained(error, connectionOf(flags)));
  } finally {
    await mneme.close();
  }
}

/** `waitForReady`: waits for an unreachable server, up to the timeout of a call. */
export function clientOf(flags: ClientFlags, { waitForReady = false } = {}): Mneme {
  const { namespace, token, timeout, as } = flags;
  const { tlsCa, tlsCert, tlsKey, tlsServerName } = flags;
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw usage('--tls-cert and --tls-key: give both or neither');
  }
  checkNamespace(namespace || 'default');
  const { address, isEncrypted } = connectionOf(flags);
  return connect(address, {
    namespace: namespace || 'default',
    ...(token && { token }),
    ...(as && { callFrom: as }),
    timeoutMs: timeout,
    recallTimeoutMs: timeout,
    // Where a person is waiting, that no server is there is reported at once.
    waitForReady,
    ...(isEncrypted && {
      tls: {
        ca: tlsCa === undefined ? undefined : readFileSync(tlsCa),
        cert: tlsCert === undefined ? undefined : readFileSync(tlsCert),
        key: tlsKey === undefined ? undefined : readFileSync(tlsKey),
        serverName: tlsServerName,
      },
    }),
  });
}

/** Where the flags lead to. */
export function connectionOf({ server, tls, tlsCa, tlsCert, tlsKey, tlsServerName }: ClientFlags) {
  const address = server || DEFAULT_SERVER;
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/i.exec(address) ?? [];
  if (scheme !== undefined) {
    const encrypted = /^(https|grpcs):/i.test(scheme) ? ' and add --tls' : '';
    throw usage(`--server: leave out ${scheme}, such as --server ${rest.replace(/\/.*$/, '')}${encrypted}`);
  }
  if (!/^(?:unix:.+|(?:\[[^\]]+\]|[^\s:/[\]]+)(?::\d{1,5})?)$/.test(address)) {
    throw usage(`--server: expected host:port, such as ${DEFAULT_SERVER}, got ${JSON.stringify(address)}`);
  }
  const port = address.startsWith('unix:') ? undefined : /:(\d+)$/.exec(address)?.[1];
  if (Number(port ?? 1) < 1 || Number(port ?? 1) > PORT_MAX) {
    throw usage(`--server: expected a port from 1 to ${PORT_MAX}, got ${port} in ${JSON.stringify(address)}`);
  }
  const isEncrypted = tls === true || [tlsCa, tlsCert, tlsKey, tlsServerName].some((flag) => flag !== undefined);
  return { address, isEncrypted };
}

const PARTS = new Set(['project', 'agent_type', 'agent', 'session']);

/** Undefined for an empty text, which is an unset variable. */
function timeoutOf(span: string): number | undefined {
  return span === '' ? undefined : durationMs(span);
}

/** Undefined for an empty text, which is an unset variable. */
function callerOf(as: string): CallerScope | '*' | undefined {
  if (as === '' || as === '*') return as || undefined;
  const parts = new URLSearchParams(as);
  const names = [...parts.keys()];
  const unknown = names.find((name) => !PARTS.has(name));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(`${unknown} is not a part of a scope. Give project, agent_type, agent or session.`);
  }
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new InvalidArgumentError(`${twice} is set twice.`);
  const of = (name: string) => parts.get(name) ?? '';
  return { project: of('project'), agentType: of('agent_type'), agent: of('agent'), session: of('session') };
}

/** The flag of commands that use a data folder; `what` they do with it. */
export function dataFlag(what: string): Option {
  return new Option('--data <path>', `${what} (MNEME_DATA, or ./data)`);
}
