import type { Command } from 'commander';
import { services } from '../../clients/typescript/src/index.ts';
import { type Config, ConfigError, configFrom } from '../server/config/config.ts';
import { addConnectionFlags, addJsonFlag, addServerFlag, type ClientFlags, withClient } from './client-flags.ts';
import { CommandFailure, UNAVAILABLE, usage } from './failure.ts';
import { examples } from './help.ts';
import { type Ask, askOwnServer } from './own-health.ts';
import { listRows, print, printJson, type Row, rows } from './terminal.ts';

const PACKAGE = 'mneme.v1';
/** Names of `ServingStatus` of grpc.health.v1, by number. */
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;
/** Probes of containers are ended by their runtime after some seconds. */
const TIMEOUT_MS = 4000;
/** Statuses of callers that may not see what only operators see. */
const HIDDEN: ReadonlySet<unknown> = new Set(['UNAUTHENTICATED', 'PERMISSION_DENIED']);

export function defineHealth(command: Command): void {
  command
    .description(
      'Ask a server whether it serves, by the health protocol of gRPC, which needs no token. Names the backends that ' +
        'are away, since when, and what is served meanwhile, where the caller may see them. Ends with 0 when the server ' +
        'serves anything, and with 4 when it does not or does not answer. Without --server, asks the server that ' +
        'MNEME_LISTEN and the other variables of "mneme serve" describe, on this machine: a probe for containers.',
    )
    .argument('[service]', `one service, such as RecallService or ${PACKAGE}.RecallService (default: the whole server)`)
    .addHelpText('after', examples('mneme health', 'mneme health RecallService --server 10.0.0.7:50051'))
    .action(health);
  addConnectionFlags(addServerFlag(addJsonFlag(command)));
}

async function health(name = '', flags: ClientFlags, command: Command): Promise<void> {
  const service = name === '' || name.includes('.') ? name : `${PACKAGE}.${name}`;
  const isNamed = command.getOptionValueSource('server') !== 'default';
  const look = (ask: Ask) => healthOf(ask, service);
  const { timeout = TIMEOUT_MS } = flags;
  const seen = await (isNamed
    ? withClient(flags, (mneme) => look((method, request) => mneme.raw(method, request)))
    : askOwnServer(ownSettings(), timeout, look));
  if (flags.json) await printJson(seen);
  else await print([seen.status, ...detailLines(seen)].join('\n'));
}

interface Seen {
  readonly service: string;
  readonly status: string;
  /** Of the whole server: sentences about its parts that do not work, and names of services that do not serve. */
  readonly degraded?: readonly string[];
  readonly notServing?: readonly string[];
}

/** Fails where the service, or every service of the server, does not serve. */
async function healthOf(ask: Ask, service: string): Promise<Seen> {
  const status = nameOf((await ask(services.HealthService.check, { service })).status);
  const subject = service === '' ? 'the server' : service;
  if (status !== 'SERVING') throw notServed(`${subject} answers ${status}`);
  if (service !== '') return { service, status };
  const { statuses } = await ask(services.HealthService.list, {});
  const ofServices = Object.entries(statuses).filter(([each]) => each !== '');
  const notServing = ofServices.filter((each) => nameOf(each[1].status) !== 'SERVING').map(([each]) => each);
  const degraded = await degradedParts(ask);
  if (ofServices.length > 0 && notServing.length === ofServices.length) {
    throw notServed(['the server serves nothing', ...degraded].join('\n'));
  }
  return { service, status, degraded, notServing: notServing.map((each) => each.replace(`${PACKAGE}.`, '')).sort() };
}

/** Empty for callers that may not see them. */
async function degradedParts(ask: Ask): Promise<readonly string[]> {
  try {
    return (await ask(services.AdminService.getServerInfo, {})).degraded;
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string };
    return HIDDEN.has(code) ? [] : [`the parts of the server cannot be read: ${message}`];
  }
}

function detailLines({ degraded = [], notServing = [] }: Seen): string[] {
  const refused: Row[] = notServing.length === 0 ? [] : listRows('not serving', notServing);
  const parts = degraded.map((part, at): Row => [at === 0 ? 'degraded' : '', part]);
  return parts.length + refused.length === 0 ? [] : rows([...parts, ...refused]);
}

function nameOf(status: number): string {
  return STATUSES[status] ?? 'UNKNOWN';
}

function notServed(message: string): CommandFailure {
  return new CommandFailure(message, { exitCode: UNAVAILABLE, code: 'UNAVAILABLE' });
}

function ownSettings(): Config {
  try {
    return configFrom();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw usage(error.problems.join('; '));
  }
}
