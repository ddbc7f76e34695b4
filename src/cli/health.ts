import type { Command } from 'commander';
import { services } from '../../clients/typescript/src/index.ts';
import { type Config, ConfigError, configFrom } from '../config/config.ts';
import { addConnectionFlags, addJsonFlag, addServerFlag, type ClientFlags, withClient } from './client-flags.ts';
import { CommandFailure, UNAVAILABLE, usage } from './failure.ts';
import { examples } from './help.ts';
import { ownHealth } from './own-health.ts';
import { print, printJson } from './terminal.ts';

const PACKAGE = 'mneme.v1';
/** Names of `ServingStatus` of grpc.health.v1, by number. */
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;
/** Probes of containers are ended by their runtime after some seconds. */
const TIMEOUT_MS = 4000;

export function defineHealth(command: Command): void {
  command
    .description(
      'Ask a server whether it serves, by the health protocol of gRPC, which needs no token. Ends with 0 when it does, ' +
        'and with 4 when it does not or does not answer. Without --server, asks the server that MNEME_LISTEN and the ' +
        'other variables of "mneme serve" describe, on this machine: a probe for containers.',
    )
    .argument('[service]', `one service, such as RecallService or ${PACKAGE}.RecallService (default: the whole server)`)
    .addHelpText('after', examples('mneme health', 'mneme health RecallService --server 10.0.0.7:50051'))
    .action(health);
  addConnectionFlags(addServerFlag(addJsonFlag(command)));
}

async function health(name = '', flags: ClientFlags, command: Command): Promise<void> {
  const service = name === '' || name.includes('.') ? name : `${PACKAGE}.${name}`;
  const isNamed = command.getOptionValueSource('server') !== 'default';
  const status = STATUSES[await (isNamed ? statusOf(flags, service) : ownStatus(flags, service))] ?? 'UNKNOWN';
  if (status !== 'SERVING') {
    const subject = service === '' ? 'the server' : service;
    throw new CommandFailure(`${subject} answers ${status}`, { exitCode: UNAVAILABLE, code: 'UNAVAILABLE' });
  }
  if (flags.json) await printJson({ service, status });
  else await print(status);
}

async function statusOf(flags: ClientFlags, service: string): Promise<number> {
  return (await withClient(flags, (mneme) => mneme.raw(services.HealthService.check, { service }))).status;
}

function ownStatus({ timeout = TIMEOUT_MS }: ClientFlags, service: string): Promise<number> {
  return ownHealth(ownSettings(), service, timeout);
}

function ownSettings(): Config {
  try {
    return configFrom();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw usage(error.problems.join('; '));
  }
}
