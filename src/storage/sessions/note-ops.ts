import type { Content } from '../../memory/memory.ts';
import type { Note } from '../../memory/session.ts';
import type { OpResult } from '../session-store.ts';
import type { OpContext, SessionView } from './session-view.ts';

/** Appends to the scratchpad; the oldest notes make room when it holds more than it may. */
export function appendNotes(view: SessionView, contents: readonly Content[], { atUs, limits }: OpContext): OpResult {
  const { record } = view;
  const sequence = record.nextNote;
  const notes: Note[] = contents.map((content, at) => ({ sequence: sequence + at, atUs, content }));
  view.append(notes);
  record.nextNote += notes.length;
  record.noteCount += notes.length;
  record.noteBytes += notes.reduce((sum, { content }) => sum + content.data.byteLength, 0);
  let dropped = 0;
  while (record.noteCount > limits.notesMax || record.noteBytes > limits.noteBytesMax) {
    const first = view.firstNote();
    if (!first) break;
    dropped += dropNotes(view, first.sequence);
  }
  record.notesDropped += dropped;
  view.log('noted', '');
  return { written: notes.length, removed: 0, sequence, notes: dropped };
}

/** Takes the notes up to a sequence away; tells how many. */
export function dropNotes(view: SessionView, to: number): number {
  const { count, bytes } = view.removeNotes(0, to);
  view.record.noteCount -= count;
  view.record.noteBytes -= bytes;
  return count;
}
