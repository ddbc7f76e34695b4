import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { asFailure, type CallFailure } from '../api/failure.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './states.tsx';

interface FormDialogProps {
  readonly title: string;
  /** Text of the button. */
  readonly does: string;
  /** False while the form cannot be sent. */
  readonly isComplete?: boolean;
  readonly send: () => Promise<unknown>;
  readonly close: () => void;
  readonly done: () => void;
  readonly children: ComponentChildren;
}

/** A form that makes one call, and stays open with the reason where the call fails. */
export function FormDialog({ title, does, isComplete = true, send, close, done, children }: FormDialogProps) {
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<CallFailure>();
  const submit = async () => {
    setSending(true);
    setFailure(undefined);
    try {
      await send();
      done();
    } catch (error) {
      setFailure(asFailure(error));
      setSending(false);
    }
  };
  return (
    <Dialog title={title} close={close}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete && !isSending) void submit();
        }}
      >
        {children}
        {failure && <Failure failure={failure} />}
        <div class="row">
          <button type="submit" class="primary" disabled={!isComplete || isSending}>
            {does}
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
