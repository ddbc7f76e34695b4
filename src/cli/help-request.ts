import { nearestOf } from '../memory/nearest-name.ts';
import { CommandFailure, USAGE } from './failure.ts';
import { TOPICS } from './help-topics.ts';
import { COMMANDS, programWith } from './program.ts';

/** `mneme help`, `mneme help <command>` with the names of its subcommands, `mneme help <topic>`. */
export async function helpRequest([name, ...rest]: readonly string[]): Promise<void> {
  const topic = name === undefined ? undefined : TOPICS[name];
  if (topic !== undefined) {
    process.stdout.write(topic);
    return;
  }
  if (name !== undefined && !name.startsWith('-') && !COMMANDS.includes(name)) {
    const known = [...COMMANDS, ...Object.keys(TOPICS)];
    const meant = nearestOf(name, known, (nearest) => ` Did you mean ${nearest}?`);
    throw new CommandFailure(
      `there is no command or help topic ${JSON.stringify(name)}.${meant} "mneme help" lists them.`,
      {
        exitCode: USAGE,
      },
    );
  }
  const program = await programWith(name === undefined ? [] : [name]);
  await program.parseAsync([...(name === undefined ? [] : [name]), ...rest, '--help'], { from: 'user' });
}
