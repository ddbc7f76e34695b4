import { type Command, Option } from 'commander';
import { type Config, ConfigError, configFrom, settingsBySubject } from '../server/config/config.ts';
import { usage } from './failure.ts';
import { examples } from './help.ts';
import { wholeNumber } from './parse-flag.ts';
import { runServe } from './serve-process.ts';

/** For hidden options that only name the variable to use instead. */
const variables = new WeakMap<Option, string>();

export function defineServe(command: Command): void {
  command
    .description(
      'Run the server until Ctrl-C or SIGTERM. Every flag has a variable, such as MNEME_LISTEN for --listen; flags go ' +
        'before variables. Secrets have a variable only, since process lists show flags. Names that end in -ms are in ' +
        'milliseconds; defaults are in parentheses.',
    )
    .configureHelp({
      ...command.configureHelp(),
      optionTerm: (option) => variables.get(option) ?? option.flags,
    })
    .addOption(
      new Option('--port <n>', 'port of --listen alone').argParser(wholeNumber(0, PORT_MAX)).helpGroup('Server:'),
    )
    .addOption(new Option('--host <host>', 'host of --listen alone').helpGroup('Server:'))
    .addHelpText('after', EXAMPLES)
    .action(serve);
  addSettings(command);
}

export function addSettings(command: Command): void {
  for (const { heading, settings } of settingsBySubject()) {
    for (const { flag, placeholder, isSecret, variable, description, choices, fallback } of settings) {
      const values = choices === undefined ? '' : `: ${choices.join(', ')}`;
      const text = `${description}${values}${fallback === '' ? '' : ` (${fallback})`}`;
      const option = new Option(`${flag} ${placeholder}`, text).helpGroup(`${heading}:`);
      if (isSecret)
        variables.set(
          option.argParser(() => refuseSecret(option, variable)),
          variable,
        );
      command.addOption(option);
    }
  }
}

const EXAMPLES = examples(
  'mneme serve',
  'mneme serve --listen 127.0.0.1:6000 --data /var/lib/mneme',
  'MNEME_REDIS_URL=redis://127.0.0.1:6379 mneme serve',
);

type Flags = Readonly<Record<string, string | boolean | undefined>>;

interface ListenFlags {
  readonly port?: number;
  readonly host?: string;
}

const PORT_MAX = 65_535;

async function serve({ port, host, ...flags }: Flags & ListenFlags): Promise<void> {
  if (port === undefined && host === undefined) return runServe(configOf(flags));
  if (flags.listen !== undefined) throw usage('--listen has host and port: leave out --host and --port beside it');
  return runServe(configOf({ ...flags, listen: `${bracketed(host ?? '127.0.0.1')}:${port ?? 50_051}` }));
}

/** An address of IPv6 stands in brackets before a port. */
function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

export function configOf(flags: Flags): Config {
  try {
    return configFrom({ flags });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw usage(error.problems.join('; '));
  }
}

function refuseSecret(option: Option, variable: string): never {
  throw usage(`${option.long}: give it by the variable ${variable}, since process lists show flags`);
}
