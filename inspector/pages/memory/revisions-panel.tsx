import { diffWordsWithSpace } from 'diff';
import { useState } from 'preact/hooks';
import type { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import type { MemoryRevision } from '../../../gen/ts/mneme/v1/memory_service.ts';
import { listMemoryRevisions, updateMemory } from '../../api/calls.ts';
import { asFailure, type CallFailure } from '../../api/failure.ts';
import { changeText } from '../../ui/enums.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Failure, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { changesOf, type FieldChange, restoring } from './changes.ts';

const PAGE_SIZE = 20;
/** Fields that are compared word by word; values of the others are one thing. */
const COMPARED = new Set(['text', 'content', 'tags', 'source']);
/** Longer texts are compared as a whole. */
const COMPARED_MAX = 20_000;
const COMPARE_MS = 200;

/** The states that a memory had, newest first, each with its difference to the one before. */
export function RevisionsPanel({ memory, changed }: { readonly memory: Memory; readonly changed: () => void }) {
  const { name, version } = memory;
  const [pageSize, setPageSize] = useState(PAGE_SIZE);
  const asked = useAsked(
    (signal) => listMemoryRevisions({ name, pageSize }, signal),
    [name, String(version), pageSize],
  );
  const [failure, setFailure] = useState<CallFailure>();
  const restore = (former: Memory) => {
    setFailure(undefined);
    updateMemory(restoring(memory, former)).then(changed, (error: unknown) => setFailure(asFailure(error)));
  };
  if (asked.failure) return <Failure failure={asked.failure} again={asked.again} />;
  if (!asked.value) return <Loading>Reading revisions …</Loading>;
  const { revisions, nextPageToken, damagedCount } = asked.value;
  return (
    <section class="panel">
      <h2>Revisions</h2>
      {failure && <Failure failure={failure} />}
      <ol class="revisions">
        {revisions.map((revision, at) => (
          <Revision
            key={String(revision.memory?.version)}
            revision={revision}
            former={revisions[at + 1]?.memory}
            isCurrent={at === 0}
            restore={restore}
          />
        ))}
      </ol>
      {damagedCount > 0 && <p class="quiet">{damagedCount} states cannot be read: their stored bytes are damaged.</p>}
      {nextPageToken !== '' && pageSize < 100 && (
        <button type="button" onClick={() => setPageSize(100)}>
          Show older states
        </button>
      )}
    </section>
  );
}

interface RevisionProps {
  readonly revision: MemoryRevision;
  readonly former: Memory | undefined;
  readonly isCurrent: boolean;
  readonly restore: (former: Memory) => void;
}

function Revision({ revision: { memory, change }, former, isCurrent, restore }: RevisionProps) {
  if (!memory) return null;
  const changes = former ? changesOf(former, memory) : [];
  return (
    <li class="stack">
      <div class="row">
        <strong>{changeText(change)}</strong>
        {memory.updateTime && <Time at={memory.updateTime} />}
        <span class="quiet small">version {String(memory.version)}</span>
        <span class="spring" />
        {isCurrent ? (
          <span class="badge good">current</span>
        ) : (
          <button type="button" onClick={() => restore(memory)}>
            Restore this state
          </button>
        )}
      </div>
      {changes.map((each) => (
        <Difference key={each.path} change={each} />
      ))}
      {!former && (
        <p class="prose quiet">
          <PlainText text={memory.text} max={400} />
        </p>
      )}
    </li>
  );
}

function Difference({ change: { path, before, after } }: { readonly change: FieldChange }) {
  const isWhole = !COMPARED.has(path) || before.length + after.length > COMPARED_MAX;
  const parts = isWhole ? undefined : diffWordsWithSpace(before, after, { timeout: COMPARE_MS });
  return (
    <div>
      <span class="quiet small mono">{path}</span>
      <div class="prose difference">
        {parts ? (
          parts.map(({ value, added, removed }, at) => {
            const key = `${at}`;
            if (added)
              return (
                <ins key={key}>
                  <PlainText text={value} />
                </ins>
              );
            if (removed)
              return (
                <del key={key}>
                  <PlainText text={value} />
                </del>
              );
            return <PlainText key={key} text={value} />;
          })
        ) : (
          <>
            {before !== '' && (
              <del>
                <PlainText text={before} max={600} />
              </del>
            )}{' '}
            {after !== '' && (
              <ins>
                <PlainText text={after} max={600} />
              </ins>
            )}
          </>
        )}
      </div>
    </div>
  );
}
