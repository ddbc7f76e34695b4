import type { AgentSnapshot } from '../../../gen/ts/mneme/v1/agent_service.ts';
import { diffAgentSnapshots } from '../../api/agent-calls.ts';
import { idOf, namespaceName } from '../../api/names.ts';
import { countOf } from '../../ui/format.ts';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { memoryAddress } from '../memories/address.ts';

const SHOWN_MAX = 20;

interface SnapshotDifferenceProps {
  readonly namespace: string;
  readonly snapshot: AgentSnapshot;
  /** Empty: the memories of now. */
  readonly toSnapshotId: string;
}

/** What has changed since a snapshot, by the names of memories. */
export function SnapshotDifference({ namespace, snapshot, toSnapshotId }: SnapshotDifferenceProps) {
  const to =
    toSnapshotId === ''
      ? ({ $case: 'toScope', value: { ...snapshot.scope } } as const)
      : ({ $case: 'toSnapshotId', value: toSnapshotId } as const);
  const asked = useAsked(
    (signal) => diffAgentSnapshots({ parent: namespaceName(namespace), snapshotId: snapshot.id, to }, signal),
    [snapshot.id, toSnapshotId],
  );
  if (asked.failure) return <Failure failure={asked.failure} again={asked.again} />;
  if (!asked.value) return <Loading>Comparing …</Loading>;
  const { addedNames, removedNames, changedNames, addedCount, removedCount, changedCount } = asked.value;
  if (addedCount + removedCount + changedCount === 0) return <Empty>Nothing has changed.</Empty>;
  return (
    <div class="stack">
      <Names title="added" count={addedCount} names={addedNames} namespace={namespace} />
      <Names title="removed" count={removedCount} names={removedNames} namespace={namespace} />
      <Names title="changed" count={changedCount} names={changedNames} namespace={namespace} />
    </div>
  );
}

interface NamesProps {
  readonly title: string;
  readonly count: number;
  readonly names: readonly string[];
  readonly namespace: string;
}

function Names({ title, count, names, namespace }: NamesProps) {
  if (count === 0) return null;
  return (
    <div>
      <p class="small">
        {countOf(count, 'memory', 'memories')} {title}
        {count > SHOWN_MAX && `, the first ${SHOWN_MAX}:`}
      </p>
      <ul class="small">
        {names.slice(0, SHOWN_MAX).map((name) => (
          <li key={name}>
            <a href={memoryAddress(namespace, idOf(name))}>{idOf(name)}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}
