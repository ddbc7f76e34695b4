import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from '../ui/icon.tsx';
import { namespaceNow } from './namespace.ts';
import { NamespaceChooser } from './namespace-chooser.tsx';
import { addressOf, ENTRIES } from './navigation.ts';
import { useStore } from './store.ts';
import { nextTheme, setTheme, theme } from './theme.ts';
import { TokenButton, TokenNotice } from './token-form.tsx';

/** What all pages share: navigation, namespace, credentials and colours. */
export function Shell({ current, children }: { readonly current: string; readonly children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="top">
        <button
          type="button"
          class="icon-button menu-button"
          aria-expanded={isOpen}
          aria-controls="navigation"
          aria-label="Navigation"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="menu" />
        </button>
        <a class="brand" href="/" aria-label="Mneme">
          <Icon name="mark" />
          <span>Mneme</span>
        </a>
        <NamespaceChooser />
        <span class="spring" />
        <TokenButton />
        <ThemeButton />
      </header>
      <div class="frame">
        <Navigation isOpen={isOpen} close={() => setOpen(false)} current={current} />
        <main id="content" tabIndex={-1}>
          <TokenNotice />
          {children}
        </main>
      </div>
    </>
  );
}

interface NavigationProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  /** Path of the page that is open. */
  readonly current: string;
}

function Navigation({ isOpen, close, current }: NavigationProps) {
  const namespace = useStore(namespaceNow);
  return (
    <nav id="navigation" aria-label="Pages" class={isOpen ? 'open' : ''}>
      <ul>
        {ENTRIES.map((entry) => (
          <li key={entry.path}>
            <a
              href={addressOf(entry, namespace)}
              aria-current={isCurrent(entry.path, current) ? 'page' : undefined}
              onClick={close}
            >
              {entry.title}
            </a>
          </li>
        ))}
      </ul>
      <p class="hint">
        <a href="/keys" onClick={close}>
          Keys <kbd>?</kbd>
        </a>
      </p>
    </nav>
  );
}

/** One memory belongs to the memories. */
function isCurrent(path: string, current: string): boolean {
  return current === path || (path !== '/' && current.startsWith(`${path}/`));
}

function ThemeButton() {
  const now = useStore(theme);
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Colours: ${now}`}
      title={`Colours: ${now}`}
      onClick={() => setTheme(nextTheme(now))}
    >
      <Icon name={now === 'system' ? 'contrast' : now === 'light' ? 'sun' : 'moon'} />
    </button>
  );
}
