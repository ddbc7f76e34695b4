import { useState } from 'preact/hooks';
import type { Namespace } from '../../gen/ts/mneme/v1/namespace_service.ts';
import { listNamespaces } from '../api/calls.ts';
import { idOf } from '../api/names.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Failure, Loading } from '../ui/states.tsx';
import { useAsked } from '../ui/use-asked.ts';
import { namespaceNow } from './namespace.ts';
import { addressOf, ENTRIES } from './navigation.ts';
import { go, usePlace } from './router.ts';
import { useStore } from './store.ts';

const PAGE_SIZE = 1000;
/** More namespaces are found by typing their whole name. */
const NAMESPACES_MAX = 20_000;
const SHOWN_MAX = 50;

export function NamespaceChooser() {
  const namespace = useStore(namespaceNow);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="chooser" onClick={() => setOpen(true)} title="Choose a namespace">
        <span class="quiet wide-only">namespace</span> <bdi class="cut">{namespace}</bdi>
        <Icon name="down" />
      </button>
      {isOpen && (
        <Dialog title="Namespaces" close={() => setOpen(false)}>
          <Choices close={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

function Choices({ close }: { readonly close: () => void }) {
  const { path } = usePlace();
  const [text, setText] = useState('');
  const all = useAsked(allNamespaces, []);
  const wanted = text.trim();
  const fitting = (all.value ?? []).filter((name) => name.includes(wanted.toLowerCase()));
  const choose = (name: string) => {
    close();
    namespaceNow.set(name);
    go(sameAddress(path, name));
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        const name = fitting.includes(wanted) ? wanted : (fitting[0] ?? wanted);
        if (name !== '') choose(name);
      }}
    >
      <label>
        Name, or a part of it
        <input value={text} autocomplete="off" onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      {all.failure && <Failure failure={all.failure} again={all.again} />}
      {!all.value && !all.failure && <Loading />}
      <ul class="choices">
        {fitting.slice(0, SHOWN_MAX).map((name) => (
          <li key={name}>
            <button type="button" class="link" onClick={() => choose(name)}>
              {name}
            </button>
          </li>
        ))}
      </ul>
      {all.value && <p class="quiet">{summaryOf(all.value.length, fitting.length)}</p>}
    </form>
  );
}

function summaryOf(all: number, fitting: number): string {
  if (all === 0) return 'There is no namespace yet: the first memory makes one.';
  if (fitting === 0) return 'No name has this part. Enter opens the namespace of exactly this name.';
  if (fitting <= SHOWN_MAX) return `${fitting} of ${all} namespaces`;
  return `The first ${SHOWN_MAX} of ${fitting}: type more of the name.`;
}

/** The page that is open, for another namespace. */
function sameAddress(path: string, namespace: string): string {
  const parts = path.split('/');
  const page = parts[1] === 'n' && ENTRIES.find(({ path: one }) => one === `/n/:namespace/${parts[3] ?? ''}`);
  return page ? addressOf(page, namespace) : `/n/${encodeURIComponent(namespace)}/memories`;
}

async function allNamespaces(signal: AbortSignal): Promise<readonly string[]> {
  const found: Namespace[] = [];
  let pageToken = '';
  do {
    const page = await listNamespaces({ pageSize: PAGE_SIZE, pageToken }, signal);
    found.push(...page.namespaces);
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && found.length < NAMESPACES_MAX);
  return found.map(({ name }) => idOf(name));
}
