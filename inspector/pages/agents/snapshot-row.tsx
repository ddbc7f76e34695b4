import { useState } from 'preact/hooks';
import type { AgentSnapshot } from '../../../gen/ts/mneme/v1/agent_service.ts';
import { forkAgentSnapshot, restoreAgentSnapshot } from '../../api/agent-calls.ts';
import { namespaceName } from '../../api/names.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { timeText } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Time } from '../../ui/time.tsx';
import { SnapshotDifference } from './snapshot-difference.tsx';

interface SnapshotRowProps {
  readonly namespace: string;
  readonly snapshot: AgentSnapshot;
  /** Snapshots of the same agent. */
  readonly others: readonly AgentSnapshot[];
  readonly changed: () => void;
}

/** One snapshot: its differences to now or to another one, restore and fork. */
export function SnapshotRow({ namespace, snapshot, others, changed }: SnapshotRowProps) {
  const [isCompared, setCompared] = useState(false);
  const [other, setOther] = useState('');
  const [open, setOpen] = useState<'restore' | 'fork'>();
  const { id, description, createTime, revision } = snapshot;
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    changed();
  };
  return (
    <li class="stack">
      <div class="row">
        <strong>
          <PlainText text={description || id} max={120} />
        </strong>
        {createTime && <Time at={createTime} />}
        <span class="small quiet">revision {String(revision)}</span>
      </div>
      <div class="row">
        <button type="button" aria-expanded={isCompared} onClick={() => setCompared(!isCompared)}>
          Compare
        </button>
        <button type="button" onClick={() => setOpen('restore')}>
          Restore
        </button>
        <button type="button" onClick={() => setOpen('fork')}>
          Fork
        </button>
      </div>
      {isCompared && (
        <>
          <label>
            Compare with
            <select value={other} onChange={({ currentTarget }) => setOther(currentTarget.value)}>
              <option value="">the memories of now</option>
              {others.map((each) => (
                <option key={each.id} value={each.id}>
                  {each.description || each.id} {each.createTime && timeText(each.createTime)}
                </option>
              ))}
            </select>
          </label>
          <SnapshotDifference namespace={namespace} snapshot={snapshot} toSnapshotId={other} />
        </>
      )}
      {open === 'restore' && (
        <FormDialog
          title="Restore the snapshot"
          does="Restore"
          send={() => restoreAgentSnapshot({ parent: namespaceName(namespace), snapshotId: id })}
          close={close}
          done={done}
        >
          <p class="quiet">The memories of the agent become those of the snapshot. What was stored since is erased:</p>
          <SnapshotDifference namespace={namespace} snapshot={snapshot} toSnapshotId="" />
        </FormDialog>
      )}
      {open === 'fork' && <ForkDialog namespace={namespace} snapshot={snapshot} close={close} done={done} />}
    </li>
  );
}

interface ForkDialogProps {
  readonly namespace: string;
  readonly snapshot: AgentSnapshot;
  readonly close: () => void;
  readonly done: () => void;
}

function ForkDialog({ namespace, snapshot, close, done }: ForkDialogProps) {
  const [agent, setAgent] = useState('');
  const toScope = {
    project: snapshot.scope?.project ?? '',
    agentType: snapshot.scope?.agentType ?? '',
    agent,
  };
  return (
    <FormDialog
      title="Fork the snapshot"
      does="Fork"
      isComplete={agent !== ''}
      send={() => forkAgentSnapshot({ parent: namespaceName(namespace), snapshotId: snapshot.id, toScope })}
      close={close}
      done={done}
    >
      <label>
        Name of the new agent
        <input value={agent} onInput={({ currentTarget }) => setAgent(currentTarget.value)} />
      </label>
      <p class="quiet">The new agent gets a copy of each memory; those of the former agent stay.</p>
    </FormDialog>
  );
}
