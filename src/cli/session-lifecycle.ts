import { type Command, Option } from 'commander';
import type { LifecycleEvent, Metadata } from '../../clients/typescript/src/index.ts';
import { withClient } from './client-flags.ts';
import { examples } from './help.ts';
import { durationMs, jsonObject, numberFrom, several, wholeNumber } from './parse-flag.ts';
import {
  deleteSession,
  endSession,
  listSessions,
  pauseSession,
  resumeSession,
  type ScopeFlags,
  scopeOf,
  showSession,
  spawnSession,
} from './session-transitions.ts';
import { paint, print, printable, printJson } from './terminal.ts';

/** The commands for the lifecycle of sessions. */
export function defineLifecycle(command: Command): Command[] {
  const spawn = defineSpawn(command);
  const pause = transition(command.command('pause <session>'), 'Pause a session and save a checkpoint.')
    .option('--checkpoint <id>', 'id of the checkpoint, which must be new')
    .option('--description <text>', 'purpose of the checkpoint, for people')
    .addOption(new Option('--keep-for <span>', 'time the checkpoint is kept (7d)').argParser(durationMs))
    .option('--pin', 'keep the checkpoint until the session ends')
    .option('--allow-writes', 'allow writes to working memory while paused')
    .option('--memories', 'also take a snapshot of what its agent remembers')
    .addHelpText('after', examples('mneme session pause trip-7 --description "night"'))
    .action(pauseSession);
  const resume = transition(command.command('resume <session>'), 'Resume a session with what a checkpoint holds.')
    .option('--checkpoint <id>', 'checkpoint to resume from (that of the pause)')
    .option('--merge', 'keep keys that the checkpoint does not have')
    .option('--memories', 'also restore what its agent remembered at the pause')
    .addHelpText(
      'after',
      examples('mneme session resume trip-7', 'mneme session resume trip-7 --checkpoint before-storm --merge'),
    )
    .action(resumeSession);
  const end = transition(command.command('terminate <session>'), 'End a session and store a memory of it.')
    .addOption(
      new Option('--outcome <word>', 'result of the session')
        .choices(['success', 'failure', 'partial'])
        .default('success'),
    )
    .option('--task <text>', 'what the task was')
    .addOption(new Option('--lesson <text>', 'lesson learned; may be repeated').argParser(several))
    .addOption(new Option('--action <text>', 'action taken; may be repeated').argParser(several))
    .addOption(new Option('--importance <n>', 'importance of the memory, 0 to 1').argParser(numberFrom(0, 1)))
    .addOption(new Option('--tokens <n>', 'number of tokens used').argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER)))
    .addOption(new Option('--redact <glob>', 'leave out the values of these keys; may be repeated').argParser(several))
    .option('--keep', 'keep working memory and checkpoints')
    .option('--no-episode', 'store no memory of it')
    .addHelpText(
      'after',
      examples(
        'mneme session terminate trip-7 --outcome partial --task "book the ferry"',
        'mneme session terminate trip-7 --lesson "ferries sell out early"',
      ),
    )
    .action(endSession);
  const list = withScope(command.command('list').description('List sessions.'))
    .addOption(new Option('--state <word>', 'only sessions in this state').choices(['active', 'paused', 'terminated']))
    .addHelpText('after', examples('mneme session list --state paused --agent ada'))
    .action(listSessions);
  const show = command
    .command('show <session>')
    .description('Show a session and its checkpoints.')
    .addHelpText('after', examples('mneme session show trip-7'))
    .action(showSession);
  const events = withScope(
    command.command('events').description('Print what happens to sessions as it happens. Ends with Ctrl-C.'),
  )
    .option('--from-oldest', 'begin with the oldest event that is kept')
    .option('--consumer <name>', 'continue where this consumer stopped and remember its place')
    .addOption(new Option('--limit <n>', 'end after so many events').argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER)))
    .addHelpText(
      'after',
      examples('mneme session events --from-oldest --limit 20', 'mneme session events --consumer indexer --json'),
    )
    .action(showEvents);
  const remove = defineDelete(command);
  withScope(spawn);
  return [spawn, pause, resume, end, remove, list, show, events];
}

function defineSpawn(command: Command): Command {
  return transition(command.command('spawn [session]'), 'Spawn a session and print its id.')
    .addOption(new Option('--state <json>', 'values its working memory starts with').argParser(jsonObject))
    .addOption(new Option('--default-ttl <span>', 'time to live of values set without one').argParser(durationMs))
    .option('--no-default-ttl', 'such values do not expire')
    .addOption(new Option('--idle-ttl <span>', 'end it when nothing is written for this time').argParser(durationMs))
    .option('--no-idle-ttl', 'do not end it when nothing is written')
    .addHelpText(
      'after',
      examples(
        'mneme session spawn trip-7 --agent ada --state \'{"city": "Oslo"}\'',
        'mneme session spawn trip-8 --default-ttl 2h --idle-ttl 1d',
      ),
    )
    .action(spawnSession);
}

function defineDelete(command: Command): Command {
  return transition(command.command('delete <session>'), 'Delete a session with all its data.')
    .option('--force', 'delete it even when it is active')
    .addHelpText('after', examples('mneme session delete trip-7 --force'))
    .action(deleteSession);
}

function transition(command: Command, description: string): Command {
  return command
    .description(description)
    .addOption(
      new Option('--note <name=value>', 'note to add to the session; an empty value removes it').argParser(note),
    )
    .addOption(
      new Option('--if-version <n>', 'only when the session has this version').argParser(
        wholeNumber(0, Number.MAX_SAFE_INTEGER),
      ),
    );
}

function withScope(command: Command): Command {
  return command
    .option('--project <name>', 'project of the session')
    .option('--agent-type <name>', 'type of its agent')
    .option('--agent <name>', 'agent of the session');
}

function note(text: string, before: Metadata = {}): Metadata {
  const at = text.indexOf('=');
  return at < 1 ? { ...before, [text]: 'true' } : { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

interface EventFlags extends ScopeFlags {
  readonly fromOldest?: boolean;
  readonly consumer?: string;
  readonly limit?: number;
}

/** Prints events as they come; with a consumer each is acknowledged once it is printed. */
export async function showEvents(flags: EventFlags): Promise<void> {
  const { fromOldest = false, consumer, limit = Number.POSITIVE_INFINITY } = flags;
  await withClient(flags, async (mneme) => {
    const events = mneme.lifecycle.watchEvents({
      ...(fromOldest ? { start: 'oldest' as const } : {}),
      consumer,
      scope: scopeOf(flags),
    });
    let count = 0;
    for await (const event of events) {
      await (flags.json ? printJson(event) : print(eventLine(event)));
      if (consumer !== undefined) await mneme.lifecycle.acknowledgeEvents(consumer, event);
      if (++count >= limit) return;
    }
  });
}

function eventLine({ time, transition, phase, session, refusal }: LifecycleEvent): string {
  const what = phase === 'refused' ? `${transition} refused: ${printable(refusal ?? '')}` : transition;
  return [paint('cyan', time.toISOString()), printable(session.id), paint('yellow', what)].join('  ');
}
