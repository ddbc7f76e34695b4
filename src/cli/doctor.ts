import { type Command, Option } from 'commander';
import type { ServerInfo } from '../../clients/typescript/src/index.ts';
import { type Config, ConfigError, configFrom } from '../config/config.ts';
import {
  addConnectionFlags,
  addJsonFlag,
  addServerFlag,
  type ClientFlags,
  connectionOf,
  withClient,
} from './client-flags.ts';
import {
  checkDataFolder,
  checkDisk,
  checkListen,
  checkNativeModules,
  checkNode,
  type Finding,
} from './doctor-checks.ts';
import { checkRedis } from './doctor-redis.ts';
import { CommandFailure, messageOf } from './failure.ts';
import { examples } from './help-style.ts';
import { print, printJson } from './output.ts';
import { columnsOf, paint, wrapped } from './terminal.ts';

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
    .addOption(new Option('--data <path>', 'data folder to check (MNEME_DATA, or ./data)'))
    .addOption(new Option('--listen <host:port>', 'address to check (MNEME_LISTEN, or 127.0.0.1:50051)'))
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
    checkDataFolder(config.data),
    checkDisk(config.data),
    await checkListen(config.listen),
    ...(await checkRedis(redisUrl || [])),
  ];
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
  const degraded = info.degraded.map((message): Finding => ({ name: 'degraded', status: 'warn', message }));
  return [answers, ...degraded];
}

const COLORS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
const NAME_COLUMNS = 14;
const INDENT = ' '.repeat(6 + NAME_COLUMNS + 2);

function lineOf({ name, status, message, fix }: Finding): string {
  const columns = columnsOf() - INDENT.length;
  const lines = [...wrapped(message, columns), ...(fix === undefined ? [] : wrapped(`fix: ${fix}`, columns))];
  const lead = `${paint(COLORS[status], status.padEnd(4))}  ${name.padEnd(NAME_COLUMNS)}  `;
  return lead + lines.join(`\n${INDENT}`);
}
