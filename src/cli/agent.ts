import { type Command, Option } from 'commander';
import type { Notes } from '../../clients/typescript/src/index.ts';
import { showEvents } from './agent-events.ts';
import { definePolicies } from './agent-policies.ts';
import { endSession, listSessions, pauseSession, resumeSession, showSession, spawnSession } from './agent-session.ts';
import { defineSnapshots } from './agent-snapshots.ts';
import { addClientFlags, addJsonFlag } from './client-flags.ts';
import { durationMs, jsonObject, numberFrom, several, wholeNumber } from './parse-flag.ts';

export function defineAgent(command: Command): void {
  command.description('Takes the sessions of agents through their lives: spawn, pause, resume, terminate.');
  const spawn = transition(command.command('spawn [session]'), 'make a session, and print its id')
    .addOption(new Option('--state <json>', 'values that it starts with').argParser(jsonObject))
    .action(spawnSession);
  const pause = transition(command.command('pause <session>'), 'let a session rest, with a checkpoint')
    .option('--checkpoint <id>', 'id of the checkpoint; one that is taken is never overwritten')
    .option('--description <text>', 'what the checkpoint is')
    .addOption(new Option('--keep-for <span>', 'how long the checkpoint is kept (7d)').argParser(durationMs))
    .option('--pin', 'keep the checkpoint until the session ends')
    .option('--allow-writes', 'let working memory take writes while it rests')
    .option('--memories', 'take a snapshot of what its agent remembers along')
    .action(pauseSession);
  const resume = transition(command.command('resume <session>'), 'wake a session with what a checkpoint holds')
    .option('--checkpoint <id>', 'another checkpoint than that of the pause')
    .option('--merge', 'keep keys that the checkpoint does not have')
    .option('--memories', 'bring its agent back to what the pause took along')
    .action(resumeSession);
  const end = transition(command.command('terminate <session>'), 'end a session, and make a memory of it')
    .addOption(
      new Option('--outcome <word>', 'how it went').choices(['success', 'failure', 'partial']).default('success'),
    )
    .option('--task <text>', 'what it was to do')
    .addOption(new Option('--lesson <text>', 'what was learned').argParser(several))
    .addOption(new Option('--action <text>', 'what was done').argParser(several))
    .addOption(new Option('--importance <n>', 'how much it matters').argParser(numberFrom(0, 1)))
    .addOption(new Option('--tokens <n>', 'tokens used').argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER)))
    .addOption(new Option('--redact <glob>', 'keys whose values are left out').argParser(several))
    .option('--keep', 'keep working memory and checkpoints')
    .option('--no-episode', 'make no memory of it')
    .action(endSession);
  const list = withScope(command.command('list').description('list sessions'))
    .addOption(new Option('--state <word>', 'only in this state').choices(['active', 'paused', 'terminated']))
    .action(listSessions);
  const show = command.command('show <session>').description('show a session and its checkpoints').action(showSession);
  const events = withScope(command.command('events').description('follow what happens to sessions'))
    .option('--from-oldest', 'begin with the oldest event that is kept')
    .option('--consumer <name>', 'go on where this name stopped, and remember how far it is')
    .addOption(new Option('--limit <n>', 'stop after so many').argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER)))
    .action(showEvents);
  withScope(spawn);
  for (const each of [spawn, pause, resume, end, list, show, events]) addClientFlags(addJsonFlag(each));
  defineSnapshots(command);
  definePolicies(command);
  command.addHelpText('after', EXAMPLES);
}

function transition(command: Command, description: string): Command {
  return command
    .description(description)
    .addOption(new Option('--note <name=value>', 'note to add; an empty value removes it').argParser(note))
    .addOption(
      new Option('--generation <n>', 'only from this generation on').argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
    );
}

function withScope(command: Command): Command {
  return command
    .option('--project <name>', 'project of the session')
    .option('--agent-type <name>', 'kind of its agent')
    .option('--agent <name>', 'its agent');
}

function note(text: string, before: Notes = {}): Notes {
  const at = text.indexOf('=');
  return at < 1 ? { ...before, [text]: 'true' } : { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

const EXAMPLES = `
Examples:
  $ mneme agent spawn trip-7 --agent ada --state '{"city": "Oslo"}'
  $ mneme agent pause trip-7 --description "night"
  $ mneme agent resume trip-7
  $ mneme agent terminate trip-7 --outcome partial --task "book the ferry" --lesson "ferries sell out early"
  $ mneme agent events --consumer indexer --json
  $ mneme agent snapshot ada --id before-trial
  $ mneme agent fork before-trial eve
  $ mneme agent diff before-trial --branch eve
  $ mneme agent rollback before-trial`;
