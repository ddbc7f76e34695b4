import { type Command, Option } from 'commander';
import type { LifecycleEvent, Metadata, Scope, ScopePolicy } from '../../clients/typescript/src/index.ts';
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
} from './agent-session.ts';
import { defineSnapshots } from './agent-snapshots.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { usage } from './failure.ts';
import { examples } from './help.ts';
import { durationMs, jsonObject, numberFrom, several, wholeNumber } from './parse-flag.ts';
import { paint, print, printable, printEach, printJson } from './terminal.ts';

export function defineAgent(command: Command): void {
  command.description('Spawn, pause, resume and end the sessions of agents; branch and restore what agents remember.');
  const spawn = defineSpawn(command);
  const pause = transition(command.command('pause <session>'), 'Pause a session and save a checkpoint.')
    .option('--checkpoint <id>', 'id of the checkpoint, which must be new')
    .option('--description <text>', 'purpose of the checkpoint, for people')
    .addOption(new Option('--keep-for <span>', 'time the checkpoint is kept (7d)').argParser(durationMs))
    .option('--pin', 'keep the checkpoint until the session ends')
    .option('--allow-writes', 'allow writes to working memory while paused')
    .option('--memories', 'also take a snapshot of what its agent remembers')
    .addHelpText('after', examples('mneme agent pause trip-7 --description "night"'))
    .action(pauseSession);
  const resume = transition(command.command('resume <session>'), 'Resume a session with what a checkpoint holds.')
    .option('--checkpoint <id>', 'checkpoint to resume from (that of the pause)')
    .option('--merge', 'keep keys that the checkpoint does not have')
    .option('--memories', 'also restore what its agent remembered at the pause')
    .addHelpText(
      'after',
      examples('mneme agent resume trip-7', 'mneme agent resume trip-7 --checkpoint before-storm --merge'),
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
        'mneme agent terminate trip-7 --outcome partial --task "book the ferry"',
        'mneme agent terminate trip-7 --lesson "ferries sell out early"',
      ),
    )
    .action(endSession);
  const list = withScope(command.command('list').description('List sessions.'))
    .addOption(new Option('--state <word>', 'only agents in this state').choices(['active', 'paused', 'terminated']))
    .addHelpText('after', examples('mneme agent list --state paused --agent ada'))
    .action(listSessions);
  const show = command
    .command('show <session>')
    .description('Show a session and its checkpoints.')
    .addHelpText('after', examples('mneme agent show trip-7'))
    .action(showSession);
  const events = withScope(
    command.command('events').description('Print what happens to sessions as it happens. Ends with Ctrl-C.'),
  )
    .option('--from-oldest', 'begin with the oldest event that is kept')
    .option('--consumer <name>', 'continue where this consumer stopped and remember its place')
    .addOption(new Option('--limit <n>', 'end after so many events').argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER)))
    .addHelpText(
      'after',
      examples('mneme agent events --from-oldest --limit 20', 'mneme agent events --consumer indexer --json'),
    )
    .action(showEvents);
  const remove = defineDelete(command);
  withScope(spawn);
  for (const each of [spawn, pause, resume, end, remove, list, show, events]) addClientFlags(addJsonFlag(each));
  defineSnapshots(command);
  definePolicies(command);
  command.addHelpText('after', EXAMPLES);
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
        'mneme agent spawn trip-7 --agent ada --state \'{"city": "Oslo"}\'',
        'mneme agent spawn trip-8 --default-ttl 2h --idle-ttl 1d',
      ),
    )
    .action(spawnSession);
}

function defineDelete(command: Command): Command {
  return transition(command.command('delete <session>'), 'Delete a session with all its data.')
    .option('--force', 'delete it even when it is active')
    .addHelpText('after', examples('mneme agent delete trip-7 --force'))
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

const EXAMPLES = `
Examples:
  $ mneme agent spawn trip-7 --agent ada --state '{"city": "Oslo"}'
  $ mneme agent pause trip-7 --description "night"
  $ mneme agent resume trip-7
  $ mneme agent terminate trip-7 --outcome partial --task "book the ferry"
  $ mneme agent snapshot ada --id before-trial
  $ mneme agent fork before-trial eve
  $ mneme agent diff before-trial --branch eve
  $ mneme agent rollback before-trial`;

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
      ...(consumer === undefined ? {} : { consumer }),
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

interface PolicyFlags extends ScopeFlags {
  readonly private?: boolean;
  readonly readOnly?: boolean;
  readonly isolated?: boolean;
}

export function definePolicies(command: Command): void {
  const set = command
    .command('policy')
    .description('Set the access policy of a scope. Without flags everything is allowed.')
    .option('--project <name>', 'project of the scope')
    .option('--agent-type <name>', 'type of agent')
    .option('--agent <name>', 'agent of the scope')
    .option('--private', 'recalls from outside do not see them')
    .option('--read-only', 'they cannot be stored, changed or deleted')
    .option('--isolated', 'recalls from inside exclude memories outside the scope')
    .addHelpText(
      'after',
      examples('mneme agent policy --agent ada --private', 'mneme agent policy --project p --read-only'),
    )
    .action(setPolicy);
  const list = command
    .command('policies')
    .description('List the policies of scopes.')
    .addHelpText('after', examples('mneme agent policies'))
    .action(listPolicies);
  for (const each of [set, list]) addClientFlags(addJsonFlag(each));
}

async function setPolicy(flags: PolicyFlags): Promise<void> {
  const { private: isPrivate = false, readOnly = false, isolated = false } = flags;
  const scope = scopeOf(flags);
  if (Object.keys(scope).length === 0) throw usage('which scope: use --project, --agent-type or --agent');
  const policy = { isPrivate, readOnly, isolated };
  await withClient(flags, async (mneme) => {
    await mneme.scopes.setPolicy(scope, policy);
    await (flags.json ? printJson({ scope, ...policy }) : print(policyLine(scope, policy)));
  });
}

async function listPolicies(flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    await printEach(await mneme.scopes.listPolicies(), 'no policies', ({ scope, ...policy }) =>
      flags.json ? printJson({ scope, ...policy }) : print(policyLine(scope, policy)),
    );
  });
}

/** Project, agent type, agent and session, `*` for any, and their policy. */
function policyLine(scope: Scope, policy: ScopePolicy): string {
  const scopeParts = [scope.project, scope.agentType, scope.agent, scope.session].map((part) => part ?? '*').join('/');
  const what = [policy.isPrivate && 'private', policy.readOnly && 'read-only', policy.isolated && 'isolated'];
  return `${printable(scopeParts)}  ${what.filter((one) => one !== false).join(', ') || 'everything is allowed'}`;
}
