import { useEffect, useState } from 'preact/hooks';
import type { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import { getMemory } from '../../api/calls.ts';
import { memoryName, namespaceName } from '../../api/names.ts';
import { type WatchState, watch } from '../../api/watch.ts';
import type { Parameters } from '../../app/navigation.ts';
import { Page } from '../../ui/page.tsx';
import { LongText } from '../../ui/plain-text.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { WatchBadge } from '../../ui/watch-badge.tsx';
import { listAddress } from '../memories/address.ts';
import { quoted } from '../memories/memory-row.tsx';
import { ContentPanel } from './content-panel.tsx';
import { DetailsPanel } from './details-panel.tsx';
import { MemoryActions } from './memory-actions.tsx';
import { RelationsPanel } from './relations-panel.tsx';
import { RevisionsPanel } from './revisions-panel.tsx';

/** One memory whole: what it says, where it comes from, how it changed, and what may be done with it. */
export function MemoryPage({ parameters }: { readonly parameters: Parameters }) {
  const { namespace = '', id = '' } = parameters;
  const name = memoryName(namespace, id);
  const asked = useAsked((signal) => getMemory({ name }, signal), [name]);
  const watching = useChanges(namespace, id, asked.again);
  const memory = asked.value?.memory;
  return (
    <Page
      title={`Memory ${id}`}
      actions={memory && <MemoryActions namespace={namespace} memory={memory} changed={asked.again} />}
    >
      <div class="row">
        <a href={listAddress(namespace, '')}>All memories of {namespace}</a>
        <WatchBadge state={watching} />
      </div>
      {asked.failure && <Failure failure={asked.failure} again={asked.again} />}
      {!memory && asked.isAsking && <Loading />}
      {memory && <Whole namespace={namespace} memory={memory} changed={asked.again} />}
    </Page>
  );
}

interface WholeProps {
  readonly namespace: string;
  readonly memory: Memory;
  readonly changed: () => void;
}

function Whole({ namespace, memory, changed }: WholeProps) {
  return (
    <div class="memory-whole">
      <div class="stack">
        <section class="panel">
          <h2>Text</h2>
          {memory.text === '' ? <Empty>This memory has no text.</Empty> : <LongText text={memory.text} />}
        </section>
        {memory.content && <ContentPanel content={memory.content} />}
        <RelationsPanel namespace={namespace} memory={memory} />
        <RevisionsPanel memory={memory} changed={changed} />
      </div>
      <DetailsPanel namespace={namespace} memory={memory} />
    </div>
  );
}

/** Reads the memory again when it changes at the server. */
function useChanges(namespace: string, id: string, again: () => void): WatchState {
  const [state, setState] = useState<WatchState>({ kind: 'connecting' });
  useEffect(() => {
    const stop = new AbortController();
    const draft = { parent: namespaceName(namespace), filterText: `id = ${quoted(id)}`, includeMoved: true };
    const name = memoryName(namespace, id);
    const watcher = {
      // Deletions are sent whatever the filter.
      onChanges: (changes: readonly { readonly name: string }[]) => {
        if (changes.some((change) => change.name === name)) again();
      },
      onState: setState,
    };
    void watch(draft, watcher, stop.signal);
    return () => stop.abort();
  }, [namespace, id, again]);
  return state;
}
