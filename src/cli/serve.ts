import { type Command, Option } from 'commander';
import { ConfigError, configFrom, options, settingsTable } from '../config.ts';
import { runServe } from '../serve.ts';

export function defineServe(command: Command): void {
  command.description('Serves memories over gRPC until it is told to stop (Ctrl-C or SIGTERM).');
  // The table below shows them with their variables, which the help of commander does not.
  for (const { flags, description } of options) command.addOption(new Option(flags, description).hideHelp());
  command.addHelpText('after', () => `\nFlags and variables (a flag wins):\n${settingsTable()}\n${EXAMPLES}`);
  command.action(serve);
}

const EXAMPLES = `
Examples:
  $ mneme serve
  $ mneme serve --listen 127.0.0.1:6000 --data /var/lib/mneme
  $ MNEME_EMBEDDER=http MNEME_EMBEDDER_URL=http://127.0.0.1:11434/v1 MNEME_EMBEDDER_MODEL=bge-m3 mneme serve`;

type Flags = Readonly<Record<string, string | boolean | undefined>>;

async function serve(flags: Flags, command: Command): Promise<void> {
  await runServe(configOf(flags, command));
}

function configOf(flags: Flags, command: Command) {
  try {
    return configFrom({ flags });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return command.error(error.problems.map((problem) => `error: ${problem}`).join('\n'));
  }
}
