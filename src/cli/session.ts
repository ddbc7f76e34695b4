import { type Command, Option } from 'commander';
import { addClientFlags, addJsonFlag } from './client-flags.ts';
import { durationMs, numberFrom, wholeNumber } from './parse-flag.ts';
import {
  compareCheckpoints,
  deleteCheckpoint,
  forkCheckpoint,
  listCheckpoints,
  makeCheckpoint,
  restoreCheckpoint,
} from './session-checkpoints.ts';
import { addNote, listNotes, showTask } from './session-progress.ts';
import { clearSession, deleteKeys, getKeys, listKeys, setKey, showStats, watchSession } from './session-values.ts';

const MAX = Number.MAX_SAFE_INTEGER;

export function defineSession(command: Command): void {
  command.description('Works with the working memory of a session: keys, task state, scratchpad, checkpoints.');
  const commands = [...defineValues(command), ...defineProgress(command), ...defineCheckpoints(command)];
  for (const each of commands) addClientFlags(addJsonFlag(each));
  command.addHelpText('after', EXAMPLES);
}

function defineValues(command: Command): Command[] {
  return [
    command
      .command('set <session> <key> <value>')
      .description('set a key; a value that is JSON is stored as JSON, another one as text')
      .option('--text', 'store the value as text, whatever it looks like')
      .addOption(new Option('--ttl <span>', 'forget it after this long').argParser(durationMs))
      .option('--no-expiry', 'keep it, whatever the default of the session is')
      .addOption(
        new Option('--if-version <n>', 'only if it has this version; 0: if it is not there').argParser(
          wholeNumber(0, MAX),
        ),
      )
      .action(setKey),
    command.command('get <session> <key...>').description('show keys with their values').action(getKeys),
    command
      .command('keys <session> [pattern]')
      .description('list keys, such as of the pattern "user:*"')
      .option('--values', 'show their values, too')
      .option('--checkpoint <id>', 'of this checkpoint')
      .action(listKeys),
    command.command('delete <session> <key...>').description('delete keys').action(deleteKeys),
    command
      .command('clear <session>')
      .description('delete all keys; checkpoints stay')
      .option('--all', 'task state and scratchpad, too')
      .action(clearSession),
    command.command('stats <session>').description('count what the session holds').action(showStats),
    command
      .command('watch <session> [pattern]')
      .description('show what happens in the session, as it happens')
      .option('--values', 'show values, too')
      .addOption(new Option('--after <revision>', 'begin after this revision').argParser(wholeNumber(0, MAX)))
      .addOption(new Option('--limit <n>', 'stop after so many').argParser(wholeNumber(1, MAX)))
      .action(watchSession),
  ];
}

function defineProgress(command: Command): Command[] {
  return [
    command
      .command('task <session>')
      .description('show the task state, or change what is given of it')
      .option('--id <id>', 'begin another task, of this id')
      .option('--description <text>', 'what is to be done')
      .addOption(
        new Option('--status <word>', 'how far it is').choices([
          'pending',
          'in_progress',
          'blocked',
          'completed',
          'failed',
          'cancelled',
        ]),
      )
      .option('--detail <text>', 'what the status does not say')
      .addOption(new Option('--step <n>', 'step it is at').argParser(wholeNumber(0, MAX)))
      .addOption(new Option('--steps <n>', 'number of steps').argParser(wholeNumber(0, MAX)))
      .addOption(new Option('--progress <percent>', '0 to 100').argParser(numberFrom(0, 100)))
      .action(showTask),
    command.command('note <session> <text...>').description('append notes to the scratchpad').action(addNote),
    command
      .command('notes <session>')
      .description('show the scratchpad')
      .option('--newest', 'the newest first')
      .addOption(new Option('--limit <n>', 'show so many at most').argParser(wholeNumber(1, MAX)))
      .action(listNotes),
  ];
}

function defineCheckpoints(command: Command): Command[] {
  return [
    command
      .command('checkpoint <session> [id]')
      .description('keep what the session holds, and print the id')
      .option('--description <text>', 'what the checkpoint is')
      .addOption(new Option('--keep-for <span>', 'how long it is kept').argParser(durationMs))
      .action(makeCheckpoint),
    command.command('checkpoints <session>').description('list checkpoints, newest first').action(listCheckpoints),
    command
      .command('restore <session> <checkpoint>')
      .description('bring back what a checkpoint holds')
      .option('--merge', 'keep keys that it does not have')
      .action(restoreCheckpoint),
    command
      .command('fork <session> <checkpoint> <target>')
      .description('make another session of a checkpoint')
      .action(forkCheckpoint),
    command
      .command('diff <session> <from> [to]')
      .description('compare a checkpoint with another one, or with what the session holds now')
      .option('--to-session <id>', 'session of the other one')
      .action(compareCheckpoints),
    command.command('drop <session> <checkpoint>').description('delete a checkpoint').action(deleteCheckpoint),
  ];
}

const EXAMPLES = `
Examples:
  $ mneme session set run-7 plan '{"steps": ["look", "turn"]}' --ttl 2h
  $ mneme session task run-7 --description "find the harbour" --progress 40
  $ mneme session note run-7 "turned north at the mill"
  $ mneme session checkpoint run-7 before-storm
  $ mneme session diff run-7 before-storm
  $ mneme session restore run-7 before-storm`;
