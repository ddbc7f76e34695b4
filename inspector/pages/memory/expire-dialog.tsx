import { useState } from 'preact/hooks';
import { updateMemory } from '../../api/calls.ts';
import { timestampOf } from '../../api/times.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { MemoryDialogProps } from './edit-dialog.tsx';

/** Sets or removes the time at which the memory is erased. */
export function ExpireDialog({ memory, close, saved }: MemoryDialogProps) {
  const [text, setText] = useState('');
  const send = () => {
    const expireTime = text === '' ? undefined : timestampOf(new Date(text));
    return updateMemory({
      memory: { name: memory.name, expireTime },
      updateMask: ['expire_time'],
      ifVersion: memory.version,
    });
  };
  const isComplete = text !== '' || memory.expireTime !== undefined;
  return (
    <FormDialog
      title="Expire the memory"
      does={text === '' ? 'Keep it for ever' : 'Set the time'}
      isComplete={isComplete}
      send={send}
      close={close}
      done={saved}
    >
      <label>
        Time of this place at which it is erased
        <input type="datetime-local" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <p class="quiet">
        From then on no read returns the memory, and it is erased with its revisions. An empty time keeps it.
      </p>
    </FormDialog>
  );
}
