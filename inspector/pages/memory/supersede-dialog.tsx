import { useState } from 'preact/hooks';
import { supersedeMemory } from '../../api/calls.ts';
import { idOf } from '../../api/names.ts';
import { go } from '../../app/router.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { memoryAddress } from '../memories/address.ts';
import type { MemoryDialogProps } from './edit-dialog.tsx';

/** Stores what is true now, and ends the memory that it replaces. */
export function SupersedeDialog({ namespace, memory, close }: MemoryDialogProps) {
  const [text, setText] = useState('');
  const send = async () => {
    const { memory: receipt } = await supersedeMemory({
      name: memory.name,
      memory: { text },
      ifVersion: memory.version,
    });
    if (receipt) go(memoryAddress(namespace, idOf(receipt.name)));
  };
  return (
    <FormDialog
      title="Supersede the memory"
      does="Supersede"
      isComplete={text.trim() !== ''}
      send={send}
      close={close}
      done={close}
    >
      <label>
        What is true now
        <textarea rows={5} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <p class="quiet">
        The new memory has the scope, type and source of this one. This one stays, is marked as superseded, and recall
        leaves it out.
      </p>
    </FormDialog>
  );
}
