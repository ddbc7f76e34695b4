import { useState } from 'preact/hooks';
import { credentials, setToken } from '../api/token.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Store, useStore } from './store.ts';

/** Set where the server refused the credentials of this tab. */
export const isUnauthenticated = new Store(false);

export function TokenButton() {
  const token = useStore(credentials);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label={token === '' ? 'Enter a bearer token' : 'Change the bearer token'}
        title={token === '' ? 'Enter a bearer token' : 'Change the bearer token'}
        onClick={() => setOpen(true)}
      >
        <Icon name={token === '' ? 'key' : 'key-set'} />
      </button>
      {isOpen && (
        <Dialog title="Bearer token" close={() => setOpen(false)}>
          <TokenForm done={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

/** Asks for a token where the server wants one. */
export function TokenNotice() {
  const isRefused = useStore(isUnauthenticated);
  const token = useStore(credentials);
  if (!isRefused) return null;
  return (
    <section class="panel" aria-label="Sign in">
      <h2>{token === '' ? 'This server wants a bearer token' : 'The server refuses this bearer token'}</h2>
      <TokenForm done={() => undefined} />
    </section>
  );
}

function TokenForm({ done }: { readonly done: () => void }) {
  const token = useStore(credentials);
  const [text, setText] = useState('');
  const use = (value: string) => {
    isUnauthenticated.set(false);
    setToken(value);
    done();
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') use(text.trim());
      }}
    >
      <label>
        API key, JWT or token
        <input
          type="password"
          name="token"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <p class="quiet">This tab keeps it until it is closed, and sends it to this server only, in a header.</p>
      <div class="row">
        <button type="submit" class="primary">
          Use this token
        </button>
        {token !== '' && (
          <button type="button" onClick={() => use('')}>
            Forget the token
          </button>
        )}
      </div>
    </form>
  );
}
