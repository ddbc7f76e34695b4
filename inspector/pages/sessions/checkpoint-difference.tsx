import { KeyDifference } from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import { diffCheckpoints, getAllValues } from '../../api/session-calls.ts';
import { countOf } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { contentText } from './session-parts.tsx';

/** Values that are compared as texts; differences of the others are listed by their keys. */
const VALUES_MAX = 1000;
const TEXT_SHOWN = 400;

const DIFFERENCES: Readonly<Record<number, string>> = {
  [KeyDifference.KEY_DIFFERENCE_ADDED]: 'added',
  [KeyDifference.KEY_DIFFERENCE_REMOVED]: 'removed',
  [KeyDifference.KEY_DIFFERENCE_CHANGED]: 'changed',
};

interface CheckpointDifferenceProps {
  readonly session: string;
  readonly checkpointId: string;
}

/** What has changed in a session since a checkpoint. */
export function CheckpointDifference({ session, checkpointId }: CheckpointDifferenceProps) {
  const asked = useAsked((signal) => differenceOf(session, checkpointId, signal), [session, checkpointId]);
  if (asked.failure) return <Failure failure={asked.failure} again={asked.again} />;
  if (!asked.value) return <Loading>Comparing …</Loading>;
  const { difference, before, now } = asked.value;
  const { keys, differingCount, taskDiffers, addedNoteCount, removedNoteCount } = difference;
  if (differingCount === 0 && !taskDiffers && addedNoteCount + removedNoteCount === 0) {
    return <Empty>Nothing has changed since.</Empty>;
  }
  return (
    <div class="stack">
      <p class="small quiet">
        {countOf(differingCount, 'value differs', 'values differ')}
        {taskDiffers && ', the task differs'}
        {addedNoteCount > 0 && `, ${countOf(addedNoteCount, 'note', 'notes')} added`}
        {removedNoteCount > 0 && `, ${countOf(removedNoteCount, 'note', 'notes')} removed`}
      </p>
      {keys.map(({ key, difference: kind }) => (
        <div key={key}>
          <span class="small">
            <PlainText text={key} max={120} /> <span class="badge">{DIFFERENCES[kind] ?? 'differs'}</span>
          </span>
          <div class="prose mono difference">
            {before.has(key) && (
              <del>
                <PlainText text={before.get(key) ?? ''} max={TEXT_SHOWN} />
              </del>
            )}{' '}
            {now.has(key) && (
              <ins>
                <PlainText text={now.get(key) ?? ''} max={TEXT_SHOWN} />
              </ins>
            )}
          </div>
        </div>
      ))}
    </div>
  );
}

async function differenceOf(session: string, checkpointId: string, signal: AbortSignal) {
  const [difference, former, current] = await Promise.all([
    diffCheckpoints({ session, checkpointId }, signal),
    getAllValues({ session, checkpointId, pageSize: VALUES_MAX }, signal),
    getAllValues({ session, pageSize: VALUES_MAX }, signal),
  ]);
  const texts = ({ entries }: typeof former) => new Map(entries.map(({ key, value }) => [key, contentText(value)]));
  return { difference, before: texts(former), now: texts(current) };
}
