import type { Checkpoint, CheckpointDiff } from '../../clients/typescript/src/index.ts';
import { type ClientFlags, withClient } from './client-flags.ts';
import { counted } from './counted.ts';
import { print, printJson } from './output.ts';
import { paint, printable } from './terminal.ts';

interface MakeFlags extends ClientFlags {
  readonly description?: string;
  readonly keepFor?: number;
}

export async function makeCheckpoint(session: string, id: string | undefined, flags: MakeFlags): Promise<void> {
  const { description, keepFor } = flags;
  await withClient(flags, async (mneme) => {
    const made = await mneme.session(session).createCheckpoint({
      ...(id !== undefined && { checkpointId: id }),
      ...(description !== undefined && { description }),
      ...(keepFor !== undefined && { ttlMs: keepFor }),
    });
    await (flags.json ? printJson(made) : print(made.id));
  });
}

export async function listCheckpoints(session: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    for await (const checkpoint of mneme.session(session).listCheckpoints()) {
      await (flags.json ? printJson(checkpoint) : print(checkpointLine(checkpoint)));
    }
  });
}

function checkpointLine({ id, description, createTime, keyCount, noteCount, bytes, expireTime }: Checkpoint): string {
  const kept = expireTime ? `, until ${expireTime.toISOString()}` : '';
  const facts = `${createTime.toISOString()}, ${counted(keyCount, 'key')}, ${counted(noteCount, 'note')}, ${bytes} bytes${kept}`;
  return `${id}  ${paint('dim', facts)}${description === '' ? '' : `  ${printable(description)}`}`;
}

export async function restoreCheckpoint(
  session: string,
  checkpoint: string,
  flags: ClientFlags & { readonly merge?: boolean },
): Promise<void> {
  await withClient(flags, async (mneme) => {
    const restored = await mneme
      .session(session)
      .restoreCheckpoint(checkpoint, { mode: flags.merge ? 'merge' : 'replace' });
    if (flags.json) return printJson(restored);
    const { restoredCount, removedCount, expiredCount } = restored;
    const expired = expiredCount > 0 ? `, ${expiredCount} had expired` : '';
    await print(`restored ${counted(restoredCount, 'key')}, removed ${removedCount}${expired}`);
  });
}

export async function forkCheckpoint(
  session: string,
  checkpoint: string,
  target: string,
  flags: ClientFlags,
): Promise<void> {
  await withClient(flags, async (mneme) => {
    const forked = await mneme.session(session).forkCheckpoint(checkpoint, target);
    if (flags.json) await printJson(forked);
    else
      await print(
        `${printable(target)} holds ${counted(forked.keyCount, 'key')} and ${counted(forked.noteCount, 'note')}`,
      );
  });
}

export async function compareCheckpoints(
  session: string,
  from: string,
  to: string | undefined,
  flags: ClientFlags & { readonly toSession?: string },
): Promise<void> {
  const { toSession } = flags;
  await withClient(flags, async (mneme) => {
    const query = { ...(to !== undefined && { toCheckpointId: to }), ...(toSession !== undefined && { toSession }) };
    const diff = await mneme.session(session).diffCheckpoints(from, query);
    if (flags.json) await printJson(diff);
    else for (const line of diffLines(diff)) await print(line);
  });
}

const SIGNS = { added: '+', removed: '-', changed: '~' } as const;

function diffLines({ keys, equalCount, taskDiffers, addedNoteCount, removedNoteCount }: CheckpointDiff): string[] {
  const changes = keys.map(({ key, difference }) => `${SIGNS[difference]} ${printable(key)}`);
  const task = taskDiffers ? ['~ task state'] : [];
  const notes =
    addedNoteCount + removedNoteCount > 0 ? [`  notes: ${addedNoteCount} added, ${removedNoteCount} removed`] : [];
  return [...changes, ...task, ...notes, paint('dim', `  ${counted(equalCount, 'key')} unchanged`)];
}

export async function deleteCheckpoint(session: string, checkpoint: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    await mneme.session(session).deleteCheckpoint(checkpoint);
    await (flags.json ? printJson({ deleted: checkpoint }) : print(`deleted ${checkpoint}`));
  });
}
