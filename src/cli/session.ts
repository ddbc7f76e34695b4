import { type Command, Option } from 'commander';
import type { TaskProgress, TaskState, TaskStatus } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { removesWhenEmpty } from './empty-values.ts';
import { usage } from './failure.ts';
import { examples } from './help.ts';
import { durationMs, numberFrom, wholeNumber } from './parse-flag.ts';
import { defineLifecycle } from './session-lifecycle.ts';
import {
  clearSession,
  compareCheckpoints,
  deleteCheckpoint,
  forkCheckpoint,
  getKeys,
  listCheckpoints,
  listKeys,
  makeCheckpoint,
  restoreCheckpoint,
  setKey,
  showStats,
  unsetKeys,
  watchSession,
} from './session-values.ts';
import { paint, print, printable, printJson } from './terminal.ts';

const MAX = Number.MAX_SAFE_INTEGER;

export function defineSession(command: Command): void {
  command.description(
    'Spawn, pause, resume and end sessions; use their working memory: keys, task state, notes, checkpoints.',
  );
  const commands = [
    ...defineLifecycle(command),
    ...defineValues(command),
    ...defineProgress(command),
    ...defineCheckpoints(command),
  ];
  for (const each of commands) addClientFlags(addJsonFlag(each));
  command.addHelpText('after', EXAMPLES);
}

function defineValues(command: Command): Command[] {
  return [
    command
      .command('set <session> <key> <value>')
      .description('Set a key. A value that is valid JSON is stored as JSON, any other as text.')
      .option('--text', 'store the value as text even when it is valid JSON')
      .addOption(new Option('--ttl <span>', 'delete it after this time').argParser(durationMs))
      .option('--no-expiry', 'keep it until deleted, whatever the default of the session is')
      .addOption(
        new Option('--default-ttl <span>', 'delete keys of this session set without --ttl after this time').argParser(
          durationMs,
        ),
      )
      .option('--no-default-ttl', 'keep keys of this session set without --ttl')
      .addOption(
        new Option('--if-version <n>', 'only when it has this version; 0: only when it does not exist').argParser(
          wholeNumber(0, MAX),
        ),
      )
      .addHelpText(
        'after',
        examples(
          'mneme session set run-7 plan \'{"steps": ["look", "turn"]}\' --ttl 2h',
          'mneme session set run-7 zip 01234 --text',
        ),
      )
      .action(setKey),
    command
      .command('get <session> <key...>')
      .description('Show keys with their values.')
      .addHelpText('after', examples('mneme session get run-7 plan zip'))
      .action(getKeys),
    command
      .command('keys <session> [pattern]')
      .description('List all keys, or keys that match a pattern.')
      .option('--values', 'show their values too')
      .option('--checkpoint <id>', 'list the keys of this checkpoint')
      .addHelpText('after', examples('mneme session keys run-7 "user:*" --values'))
      .action(listKeys),
    command
      .command('unset <session> <key...>')
      .description('Delete keys.')
      .addHelpText('after', examples('mneme session unset run-7 plan'))
      .action(unsetKeys),
    command
      .command('clear <session>')
      .description('Delete all keys. Checkpoints stay.')
      .option('--all', 'delete the task state and the notes too')
      .addHelpText('after', examples('mneme session clear run-7 --all'))
      .action(clearSession),
    command
      .command('stats <session>')
      .description('Count what the session holds.')
      .addHelpText('after', examples('mneme session stats run-7'))
      .action(showStats),
    command
      .command('watch <session> [pattern]')
      .description('Print every change of the session as it happens. Ends with Ctrl-C.')
      .option('--values', 'show values too')
      .addOption(
        new Option('--after <revision>', 'begin after this revision (the next change)').argParser(wholeNumber(0, MAX)),
      )
      .addOption(new Option('--limit <n>', 'end after so many changes').argParser(wholeNumber(1, MAX)))
      .addHelpText('after', examples('mneme session watch run-7 "user:*" --values'))
      .action(watchSession),
  ];
}

function defineProgress(command: Command): Command[] {
  return [
    command
      .command('task <session>')
      .description('Show the task state, or change what the flags give.')
      .option('--id <id>', 'begin another task, with this id')
      .addOption(removesWhenEmpty(new Option('--description <text>', 'description of the task; empty removes it')))
      .addOption(
        new Option('--status <word>', 'status of the task').choices([
          'pending',
          'in_progress',
          'blocked',
          'completed',
          'failed',
          'cancelled',
        ]),
      )
      .addOption(
        removesWhenEmpty(new Option('--detail <text>', 'detail that the status does not say; empty removes it')),
      )
      .addOption(new Option('--step <n>', 'current step').argParser(wholeNumber(0, MAX)))
      .addOption(new Option('--steps <n>', 'number of steps').argParser(wholeNumber(0, MAX)))
      .addOption(new Option('--progress <percent>', '0 to 100').argParser(numberFrom(0, 100)))
      .addHelpText(
        'after',
        examples('mneme session task run-7', 'mneme session task run-7 --description "find the harbour" --progress 40'),
      )
      .action(showTask),
    command
      .command('note <session> <text...>')
      .description('Append notes to the scratchpad.')
      .addHelpText('after', examples('mneme session note run-7 "turned north at the mill"'))
      .action(addNote),
    command
      .command('notes <session>')
      .description('Show the notes of the scratchpad, the oldest first.')
      .option('--newest', 'show the newest first')
      .addOption(new Option('--limit <n>', 'show at most so many').argParser(wholeNumber(1, MAX)))
      .addHelpText('after', examples('mneme session notes run-7 --newest --limit 5'))
      .action(listNotes),
  ];
}

function defineCheckpoints(command: Command): Command[] {
  return [
    command
      .command('checkpoint <session> [id]')
      .description('Save what the session holds as a checkpoint and print its id.')
      .option('--description <text>', 'purpose, for people')
      .addOption(new Option('--keep-for <span>', 'delete it after this time').argParser(durationMs))
      .addHelpText('after', examples('mneme session checkpoint run-7 before-storm --keep-for 7d'))
      .action(makeCheckpoint),
    command
      .command('checkpoints <session>')
      .description('List checkpoints, the newest first.')
      .addHelpText('after', examples('mneme session checkpoints run-7'))
      .action(listCheckpoints),
    command
      .command('restore-checkpoint <session> <checkpoint>')
      .description('Restore what a checkpoint holds.')
      .option('--merge', 'keep keys that the checkpoint does not have')
      .addHelpText('after', examples('mneme session restore-checkpoint run-7 before-storm'))
      .action(restoreCheckpoint),
    command
      .command('fork-checkpoint <session> <checkpoint> <target>')
      .description('Create another session from a checkpoint.')
      .addHelpText('after', examples('mneme session fork-checkpoint run-7 before-storm run-8'))
      .action(forkCheckpoint),
    command
      .command('diff-checkpoints <session> <from> [to]')
      .description('Compare a checkpoint with another one, or with what the session holds now.')
      .option('--to-session <id>', 'session of the other checkpoint')
      .addHelpText(
        'after',
        examples(
          'mneme session diff-checkpoints run-7 before-storm',
          'mneme session diff-checkpoints run-7 before-storm after-storm',
        ),
      )
      .action(compareCheckpoints),
    command
      .command('drop-checkpoint <session> <checkpoint>')
      .description('Delete a checkpoint.')
      .addHelpText('after', examples('mneme session drop-checkpoint run-7 before-storm'))
      .action(deleteCheckpoint),
  ];
}

const EXAMPLES = `
Examples:
  $ mneme session set run-7 city Oslo --ttl 2h
  $ mneme session get run-7 city
  $ mneme session task run-7 --description "find the harbour" --progress 40
  $ mneme session note run-7 "turned north at the mill"
  $ mneme session checkpoint run-7 before-storm
  $ mneme session diff-checkpoints run-7 before-storm
  $ mneme session restore-checkpoint run-7 before-storm`;

interface TaskFlags extends ClientFlags {
  readonly id?: string;
  readonly description?: string;
  readonly status?: TaskStatus;
  readonly detail?: string;
  readonly step?: number;
  readonly steps?: number;
  readonly progress?: number;
}

/** The first change makes the task. */
export async function showTask(session: string, flags: TaskFlags): Promise<void> {
  const { id, description, status, detail, step, steps, progress } = flags;
  const change: TaskProgress = {
    ...(description !== undefined && { description }),
    ...(status !== undefined && { status }),
    ...(detail !== undefined && { detail }),
    ...(step !== undefined && { currentStep: step }),
    ...(steps !== undefined && { totalSteps: steps }),
    ...(progress !== undefined && { progressPercent: progress }),
  };
  await withClient(flags, async (mneme) => {
    const wm = mneme.session(session);
    const before = await wm.getTaskState();
    let task = before;
    if (id !== undefined || (!before && Object.keys(change).length > 0)) {
      task = await wm.setTaskState({ ...change, taskId: id });
    } else if (Object.keys(change).length > 0) {
      task = await wm.updateTaskProgress(change);
    }
    if (flags.json) await printJson(task ?? null);
    else await print(task ? taskText(task) : 'no task state');
  });
}

function taskText(task: TaskState): string {
  const { description, status, detail, currentStep, totalSteps, progressPercent } = task;
  const step =
    totalSteps > 0 ? `, step ${currentStep} of ${totalSteps}` : currentStep > 0 ? `, step ${currentStep}` : '';
  const lines = [`${status.replaceAll('_', ' ')}, ${progressPercent} %${step}`, description, detail].filter(Boolean);
  return lines.map(printable).join('\n');
}

export async function addNote(session: string, texts: readonly string[], flags: ClientFlags): Promise<void> {
  if (texts.some((text) => text.trim() === '')) throw usage('nothing to note: a note must have a text');
  await withClient(flags, async (mneme) => {
    const appended = await mneme.session(session).appendScratchpad(texts);
    if (flags.json) await printJson(appended);
    else await print(`note ${appended.firstSequence}`);
  });
}

export async function listNotes(
  session: string,
  flags: ClientFlags & { readonly newest?: boolean; readonly limit?: number },
): Promise<void> {
  const { newest = false, limit = Number.POSITIVE_INFINITY } = flags;
  await withClient(flags, async (mneme) => {
    let count = 0;
    for await (const { sequence, time, content } of mneme
      .session(session)
      .listScratchpad({ order: newest ? 'newest' : 'oldest' })) {
      if (count >= limit) return;
      count += 1;
      const text = Buffer.from(content.data).toString();
      if (flags.json) await printJson({ sequence, time, mediaType: content.mediaType, text });
      else await print(`${paint('dim', `${sequence}  ${time.toISOString()}`)}  ${printable(text)}`);
    }
    if (count === 0) process.stderr.write('no notes\n');
  });
}
