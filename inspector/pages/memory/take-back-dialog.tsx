import { deleteMemory, updateMemory } from '../../api/calls.ts';
import { idOf } from '../../api/names.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { MemoryDialogProps } from './edit-dialog.tsx';

/** Undoes a supersession: this memory holds again, and the one that replaced it goes. */
export function TakeBackDialog({ memory, close, saved }: MemoryDialogProps) {
  const send = async () => {
    const { name, version } = memory;
    await updateMemory({ memory: { name }, updateMask: ['superseded_by', 'valid_until'], ifVersion: version });
    await deleteMemory({ name: memory.supersededBy, allowMissing: true });
  };
  return (
    <FormDialog title="Take the supersession back" does="Take it back" send={send} close={close} done={saved}>
      <p>
        This memory holds again, and recall returns it. The memory <code>{idOf(memory.supersededBy)}</code>, which
        superseded it, is erased with its revisions.
      </p>
    </FormDialog>
  );
}
