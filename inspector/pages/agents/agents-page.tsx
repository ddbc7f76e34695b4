import { useState } from 'preact/hooks';
import type { AgentSnapshot } from '../../../gen/ts/mneme/v1/agent_service.ts';
import { createAgentSnapshot, listAgentSnapshots } from '../../api/agent-calls.ts';
import { namespaceName } from '../../api/names.ts';
import type { Parameters } from '../../app/navigation.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { listAddress } from '../memories/address.ts';
import { quoted } from '../memories/memory-row.tsx';
import { SnapshotRow } from './snapshot-row.tsx';

const PAGE_SIZE = 200;

/** Agents that have snapshots, each with its snapshots in order. */
export function AgentsPage({ parameters }: { readonly parameters: Parameters }) {
  const { namespace = '' } = parameters;
  const [isMaking, setMaking] = useState(false);
  const asked = useAsked(
    (signal) => listAgentSnapshots({ parent: namespaceName(namespace), pageSize: PAGE_SIZE }, signal),
    [namespace],
  );
  const snapshots = asked.value?.snapshots ?? [];
  return (
    <Page
      title="Agents"
      actions={
        <button type="button" onClick={() => setMaking(true)}>
          New snapshot
        </button>
      }
    >
      {asked.failure && <Failure failure={asked.failure} again={asked.again} />}
      {!asked.value && asked.isAsking && <Loading />}
      {asked.value && snapshots.length === 0 && (
        <Empty>No snapshot of an agent yet. A snapshot keeps the memories of an agent as they are at one moment.</Empty>
      )}
      {asked.value?.nextPageToken && <p class="quiet">The first {PAGE_SIZE} snapshots are shown.</p>}
      {[...byAgent(snapshots)].map(([agent, own]) => (
        <section key={agent} class="panel">
          <h2>
            <PlainText text={agent} max={120} />
          </h2>
          <Memories namespace={namespace} snapshot={own[0]} />
          <ol class="revisions">
            {own.map((snapshot) => (
              <SnapshotRow
                key={snapshot.id}
                namespace={namespace}
                snapshot={snapshot}
                others={own.filter(({ id }) => id !== snapshot.id)}
                changed={asked.again}
              />
            ))}
          </ol>
        </section>
      ))}
      {isMaking && (
        <NewSnapshot
          namespace={namespace}
          close={() => setMaking(false)}
          done={() => {
            setMaking(false);
            asked.again();
          }}
        />
      )}
    </Page>
  );
}

/** Snapshots by their agent, newest first. */
function byAgent(snapshots: readonly AgentSnapshot[]): ReadonlyMap<string, readonly AgentSnapshot[]> {
  const newest = snapshots.toSorted((one, other) => Number(other.revision - one.revision));
  return Map.groupBy(newest, ({ scope }) =>
    [scope?.project, scope?.agentType, scope?.agent].filter(Boolean).join(' / '),
  );
}

function Memories({
  namespace,
  snapshot,
}: {
  readonly namespace: string;
  readonly snapshot: AgentSnapshot | undefined;
}) {
  const agent = snapshot?.scope?.agent;
  if (!agent) return null;
  return <a href={listAddress(namespace, `scope.agent = ${quoted(agent)}`)}>Memories of this agent</a>;
}

interface NewSnapshotProps {
  readonly namespace: string;
  readonly close: () => void;
  readonly done: () => void;
}

function NewSnapshot({ namespace, close, done }: NewSnapshotProps) {
  const [agent, setAgent] = useState('');
  const [description, setDescription] = useState('');
  const draft = { parent: namespaceName(namespace), scope: { agent }, description };
  return (
    <FormDialog
      title="New snapshot"
      does="Make it"
      isComplete={agent !== ''}
      send={() => createAgentSnapshot(draft)}
      close={close}
      done={done}
    >
      <label>
        Agent
        <input value={agent} onInput={({ currentTarget }) => setAgent(currentTarget.value)} />
      </label>
      <label>
        Description
        <input value={description} onInput={({ currentTarget }) => setDescription(currentTarget.value)} />
      </label>
    </FormDialog>
  );
}
