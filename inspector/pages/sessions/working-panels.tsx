import {
  type ScratchpadNote,
  type TaskState,
  TaskStatus,
  type WorkingEntry,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import { bytesText, countOf } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { ContentText } from './session-parts.tsx';

const STATUSES: Readonly<Record<number, string>> = {
  [TaskStatus.TASK_STATUS_PENDING]: 'pending',
  [TaskStatus.TASK_STATUS_IN_PROGRESS]: 'in progress',
  [TaskStatus.TASK_STATUS_BLOCKED]: 'blocked',
  [TaskStatus.TASK_STATUS_COMPLETED]: 'completed',
  [TaskStatus.TASK_STATUS_FAILED]: 'failed',
  [TaskStatus.TASK_STATUS_CANCELLED]: 'cancelled',
};

export function TaskPanel({ task }: { readonly task: TaskState | undefined }) {
  if (!task) return null;
  const percent = Math.round(task.progressPercent);
  return (
    <section class="panel">
      <h2>
        Task <span class="badge">{STATUSES[task.status] ?? 'without status'}</span>
      </h2>
      <p class="prose">
        <PlainText text={task.description} max={2000} />
      </p>
      {task.detail !== '' && (
        <p class="prose quiet">
          <PlainText text={task.detail} max={2000} />
        </p>
      )}
      <progress max={100} value={percent} aria-label="Progress of the task">
        {percent} %
      </progress>
      <p class="small quiet">
        {percent} %{task.totalSteps > 0 && `, step ${task.currentStep} of ${task.totalSteps}`}
        {task.updateTime && (
          <>
            , changed <Time at={task.updateTime} />
          </>
        )}
      </p>
    </section>
  );
}

interface ValuesPanelProps {
  readonly entries: readonly WorkingEntry[];
  readonly hasMore: boolean;
}

export function ValuesPanel({ entries, hasMore }: ValuesPanelProps) {
  return (
    <section class="panel">
      <h2>Values</h2>
      {entries.length === 0 && <Empty>No values.</Empty>}
      {entries.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
        <section class="scroll-x" tabIndex={0} aria-label="Values of working memory">
          <table class="values">
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">Value</th>
                <th scope="col">Changed</th>
                <th scope="col" class="number">
                  Size
                </th>
              </tr>
            </thead>
            <tbody>
              {entries.map(({ key, value, updateTime, expireTime, bytes }) => (
                <tr key={key}>
                  <th scope="row">
                    <PlainText text={key} max={120} />
                  </th>
                  <td class="prose mono">
                    <ContentText content={value} />
                  </td>
                  <td class="nowrap">
                    {updateTime && <Time at={updateTime} />}
                    {expireTime && (
                      <div class="small quiet">
                        expires <Time at={expireTime} />
                      </div>
                    )}
                  </td>
                  <td class="number nowrap">{bytesText(bytes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {hasMore && <p class="quiet">There are more; the first {entries.length} keys are shown.</p>}
    </section>
  );
}

interface NotesPanelProps {
  readonly notes: readonly ScratchpadNote[];
  readonly totalCount: number;
}

/** Notes of the scratchpad, newest first. */
export function NotesPanel({ notes, totalCount }: NotesPanelProps) {
  if (notes.length === 0) return null;
  return (
    <section class="panel">
      <h2>Notes</h2>
      {totalCount > notes.length && (
        <p class="quiet">
          The newest {notes.length} of {countOf(totalCount, 'note', 'notes')}
        </p>
      )}
      <ol class="revisions">
        {notes.map(({ sequence, time, content }) => (
          <li key={sequence} class="stack">
            <span class="small quiet">
              {sequence}, {time && <Time at={time} />}
            </span>
            <div class="prose">
              <ContentText content={content} />
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
