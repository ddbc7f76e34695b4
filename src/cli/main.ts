import { CommanderError } from 'commander';

async function main(args: readonly string[]): Promise<void> {
  const { COMMANDS, programWith } = await import('./program.ts');
  if (args[0] === 'help') {
    const { helpRequest } = await import('./help-request.ts');
    return helpRequest(args.slice(1));
  }
  const asked = args.find((arg) => COMMANDS.includes(arg));
  const program = await programWith(asked === undefined ? [] : [asked]);
  await program.parseAsync(args, { from: 'user' });
}

/** `failure.ts` prints the error: it handles errors of the command line and of the client. */
async function exitCodeOf(error: unknown): Promise<number> {
  // Help or the version was asked for and printed.
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const { reportFailure, USAGE } = await import('./failure.ts');
  // Help was printed in place of a command.
  if (error instanceof CommanderError && error.code === 'commander.help') return USAGE;
  return reportFailure(error, { json: process.argv.includes('--json') });
}

/** When the reader of a pipe ends early, as in `mneme list | head`, the command exits. Serving continues: serve.ts. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = await exitCodeOf(error);
}
