import { useState } from 'preact/hooks';
import { getMemory, updateMemory } from '../../api/calls.ts';
import { asFailure, CallFailure } from '../../api/failure.ts';
import { idOf } from '../../api/names.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { countOf } from '../../ui/format.ts';
import { Failure } from '../../ui/states.tsx';
import { ForgetDialog } from './forget-dialog.tsx';
import { quoted } from './memory-row.tsx';

interface BulkProps {
  readonly namespace: string;
  readonly chosen: ReadonlySet<string>;
  readonly chooseAll: () => void;
  readonly chooseNone: () => void;
}

/** Values of one condition of a filter. */
const CHOSEN_MAX = 1000;

/** Actions for the selected memories, each with a preview. */
export function BulkActions({ namespace, chosen, chooseAll, chooseNone }: BulkProps) {
  const [open, setOpen] = useState<'delete' | 'tag'>();
  if (chosen.size === 0) return null;
  const isTooMany = chosen.size > CHOSEN_MAX;
  const filter = `id IN (${[...chosen].map((name) => quoted(idOf(name))).join(', ')})`;
  const done = () => {
    setOpen(undefined);
    chooseNone();
  };
  return (
    <section class="notice" aria-label="Selected memories">
      <strong>{countOf(chosen.size, 'memory', 'memories')} selected</strong>
      <button type="button" onClick={chooseAll}>
        Select all that are loaded
      </button>
      <button type="button" onClick={chooseNone}>
        Select none
      </button>
      <span class="spring" />
      {isTooMany && <span class="quiet">At most {CHOSEN_MAX} at a time</span>}
      <button type="button" disabled={isTooMany} onClick={() => setOpen('tag')}>
        Add a tag
      </button>
      <button type="button" class="danger" disabled={isTooMany} onClick={() => setOpen('delete')}>
        Delete
      </button>
      {open === 'delete' && (
        <ForgetDialog namespace={namespace} filter={filter} close={() => setOpen(undefined)} done={done} />
      )}
      {open === 'tag' && <TagDialog names={[...chosen]} close={() => setOpen(undefined)} done={done} />}
    </section>
  );
}

interface TagProps {
  readonly names: readonly string[];
  readonly close: () => void;
  readonly done: () => void;
}

function TagDialog({ names, close, done }: TagProps) {
  const [tag, setTag] = useState('');
  const [doneCount, setDoneCount] = useState<number>();
  const [failure, setFailure] = useState<CallFailure>();
  const run = async () => {
    setFailure(undefined);
    try {
      for (const [at, name] of names.entries()) {
        setDoneCount(at);
        await addTag(name, tag.trim());
      }
      done();
    } catch (error) {
      setFailure(asFailure(error));
      setDoneCount(undefined);
    }
  };
  return (
    <Dialog title={`Add a tag to ${countOf(names.length, 'memory', 'memories')}`} close={close}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (tag.trim() !== '') void run();
        }}
      >
        <label>
          Tag
          <input value={tag} onInput={({ currentTarget }) => setTag(currentTarget.value)} />
        </label>
        <p class="quiet">
          Memories that have the tag stay as they are; the others keep their former state as a revision.
        </p>
        {failure && <Failure failure={failure} />}
        <div class="row">
          <button type="submit" class="primary" disabled={doneCount !== undefined || tag.trim() === ''}>
            {doneCount === undefined ? 'Add the tag' : `${doneCount} of ${names.length}`}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** A memory that was deleted meanwhile is passed over. */
async function addTag(name: string, tag: string): Promise<void> {
  try {
    const { memory } = await getMemory({ name });
    if (!memory || memory.tags.includes(tag)) return;
    const tags = [...memory.tags, tag];
    await updateMemory({ memory: { name, tags }, updateMask: ['tags'], ifVersion: memory.version });
  } catch (error) {
    if (!(error instanceof CallFailure && error.code === 'not_found')) throw error;
  }
}
