import { useState } from 'preact/hooks';
import type { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import { updateMemory } from '../../api/calls.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';

export interface MemoryDialogProps {
  readonly namespace: string;
  readonly memory: Memory;
  readonly close: () => void;
  readonly saved: () => void;
}

/** Changes text, tags and importance; only what differs is written. */
export function EditDialog({ memory, close, saved }: MemoryDialogProps) {
  const [text, setText] = useState(memory.text);
  const [tags, setTags] = useState(memory.tags.join(', '));
  const [importance, setImportance] = useState(memory.importance ?? 0.5);
  const draft = { text, tags: tagsOf(tags), importance };
  const paths = [
    ...(text === memory.text ? [] : ['text']),
    ...(draft.tags.join() === memory.tags.join() ? [] : ['tags']),
    ...(importance === memory.importance ? [] : ['importance']),
  ];
  const send = () =>
    updateMemory({
      memory: { name: memory.name, ...draft },
      updateMask: paths,
      // What somebody else has changed meanwhile is not overwritten.
      ifVersion: memory.version,
    });
  return (
    <FormDialog
      title="Edit the memory"
      does="Save"
      isComplete={paths.length > 0}
      send={send}
      close={close}
      done={saved}
    >
      <label>
        Text
        <textarea rows={8} value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      <label>
        Tags, separated by commas
        <input value={tags} onInput={({ currentTarget }) => setTags(currentTarget.value)} />
      </label>
      <label>
        Importance, 0 to 1
        <input
          type="number"
          min={0}
          max={1}
          step="any"
          value={importance}
          onInput={({ currentTarget }) => setImportance(currentTarget.valueAsNumber || 0)}
        />
      </label>
    </FormDialog>
  );
}

export function tagsOf(text: string): string[] {
  return text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
