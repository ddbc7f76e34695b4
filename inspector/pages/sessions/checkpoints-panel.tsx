import { useState } from 'preact/hooks';
import { type Checkpoint, CheckpointKind, RestoreMode } from '../../../gen/ts/mneme/v1/checkpoint.ts';
import { type Session, SessionState } from '../../../gen/ts/mneme/v1/session.ts';
import { namespaceName } from '../../api/names.ts';
import { createCheckpoint, forkCheckpoint, restoreCheckpoint } from '../../api/session-calls.ts';
import { go } from '../../app/router.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { bytesText, countOf } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { CheckpointDifference } from './checkpoint-difference.tsx';
import { sessionAddress } from './session-parts.tsx';

interface CheckpointsPanelProps {
  readonly namespace: string;
  readonly session: Session;
  readonly checkpoints: readonly Checkpoint[];
  readonly changed: () => void;
}

/** Checkpoints of a session, newest first: differences to now, restore, fork. */
export function CheckpointsPanel({ namespace, session, checkpoints, changed }: CheckpointsPanelProps) {
  const [isMaking, setMaking] = useState(false);
  const [description, setDescription] = useState('');
  const isActive = session.state === SessionState.SESSION_STATE_ACTIVE;
  return (
    <section class="panel">
      <div class="row">
        <h2>Checkpoints</h2>
        <span class="spring" />
        {isActive && (
          <button type="button" onClick={() => setMaking(true)}>
            New checkpoint
          </button>
        )}
      </div>
      {checkpoints.length === 0 && <Empty>No checkpoints. A pause makes one.</Empty>}
      <ol class="revisions">
        {checkpoints.map((checkpoint) => (
          <CheckpointRow
            key={checkpoint.id}
            namespace={namespace}
            session={session}
            checkpoint={checkpoint}
            changed={changed}
          />
        ))}
      </ol>
      {isMaking && (
        <FormDialog
          title="New checkpoint"
          does="Make it"
          send={() => createCheckpoint({ session: session.name, description })}
          close={() => setMaking(false)}
          done={() => {
            setMaking(false);
            changed();
          }}
        >
          <label>
            Description
            <input value={description} onInput={({ currentTarget }) => setDescription(currentTarget.value)} />
          </label>
        </FormDialog>
      )}
    </section>
  );
}

interface CheckpointRowProps extends Omit<CheckpointsPanelProps, 'checkpoints'> {
  readonly checkpoint: Checkpoint;
}

function CheckpointRow({ namespace, session, checkpoint, changed }: CheckpointRowProps) {
  const [isCompared, setCompared] = useState(false);
  const [open, setOpen] = useState<'restore' | 'fork'>();
  const { id, description, kind, createTime, keyCount, noteCount, bytes } = checkpoint;
  const isActive = session.state === SessionState.SESSION_STATE_ACTIVE;
  const close = () => setOpen(undefined);
  return (
    <li class="stack">
      <div class="row">
        <strong>
          <PlainText text={description || id} max={120} />
        </strong>
        {kind === CheckpointKind.CHECKPOINT_KIND_LIFECYCLE && <span class="badge">of a pause</span>}
        {createTime && <Time at={createTime} />}
      </div>
      <p class="small quiet">
        {countOf(keyCount, 'value', 'values')}, {countOf(noteCount, 'note', 'notes')}, {bytesText(bytes)}
      </p>
      <div class="row">
        <button type="button" aria-expanded={isCompared} onClick={() => setCompared(!isCompared)}>
          Compare with now
        </button>
        {isActive && (
          <button type="button" onClick={() => setOpen('restore')}>
            Restore
          </button>
        )}
        <button type="button" onClick={() => setOpen('fork')}>
          Fork
        </button>
      </div>
      {isCompared && <CheckpointDifference session={session.name} checkpointId={id} />}
      {open === 'restore' && (
        <FormDialog
          title="Restore the checkpoint"
          does="Restore"
          send={() =>
            restoreCheckpoint({
              session: session.name,
              checkpointId: id,
              mode: RestoreMode.RESTORE_MODE_REPLACE,
            })
          }
          close={close}
          done={() => {
            close();
            changed();
          }}
        >
          <p class="quiet">Values, task and notes become those of the checkpoint; what was set since is deleted:</p>
          <CheckpointDifference session={session.name} checkpointId={id} />
        </FormDialog>
      )}
      {open === 'fork' && (
        <ForkDialog namespace={namespace} session={session} checkpointId={id} close={close} changed={changed} />
      )}
    </li>
  );
}

interface ForkDialogProps {
  readonly namespace: string;
  readonly session: Session;
  readonly checkpointId: string;
  readonly close: () => void;
  readonly changed: () => void;
}

/** A new session with the contents of a checkpoint. */
function ForkDialog({ namespace, session, checkpointId, close, changed }: ForkDialogProps) {
  const [target, setTarget] = useState('');
  return (
    <FormDialog
      title="Fork the checkpoint"
      does="Fork"
      isComplete={target !== ''}
      send={() =>
        forkCheckpoint({
          session: session.name,
          checkpointId,
          targetSession: `${namespaceName(namespace)}/sessions/${target}`,
        })
      }
      close={close}
      done={() => {
        close();
        changed();
        go(sessionAddress(namespace, target));
      }}
    >
      <label>
        Id of the new session
        <input value={target} onInput={({ currentTarget }) => setTarget(currentTarget.value)} />
      </label>
    </FormDialog>
  );
}
