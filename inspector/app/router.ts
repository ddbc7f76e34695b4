import { Store, useStore } from './store.ts';

interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** What the address line says: deep links and the history of the browser hold all of a page's state. */
const place = new Store(placeNow());

function placeNow(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** Goes to an address of the inspector; `replace` leaves no entry in the history. */
export function go(address: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  place.set(placeNow());
  if (!replace) scrollTo(0, 0);
}

/** Changes parameters of the address; an empty value removes one. */
export function goWith(changes: Readonly<Record<string, string>>, options: { readonly replace?: boolean } = {}): void {
  const { path, query } = place.value;
  const changed = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') changed.delete(name);
    else changed.set(name, value);
  }
  const text = changed.toString();
  go(text === '' ? path : `${path}?${text}`, options);
}

export function usePlace(): Place {
  return useStore(place);
}

/** Follows the back and forward buttons, and takes clicks on links of the inspector. */
export function startRouter(): void {
  addEventListener('popstate', () => place.set(placeNow()));
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link?.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (link.getAttribute('href')?.startsWith('#')) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}

/** Parameters of a path such as `/n/:namespace/memories/:id`; `undefined` where it is another path. */
export function matched(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split('/');
  const parts = path.split('/');
  if (wanted.length !== parts.length) return undefined;
  const found: Record<string, string> = {};
  for (const [at, want] of wanted.entries()) {
    const part = parts[at] ?? '';
    if (!want.startsWith(':')) {
      if (want !== part) return undefined;
    } else {
      const value = decoded(part);
      if (value === '') return undefined;
      found[want.slice(1)] = value;
    }
  }
  return found;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
