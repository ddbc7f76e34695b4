import { addressOf, ENTRIES } from './navigation.ts';
import { go } from './router.ts';

/** Time in which the second key of a pair follows the first. */
const PAIR_MS = 1500;

/** Keys of every page: `/` search, `g` and a letter for a page, `?` for the list of keys. */
export function startKeys(namespaceNow: () => string): void {
  let pairedAtMs = Number.NEGATIVE_INFINITY;
  document.addEventListener('keydown', (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    const isSecond = event.timeStamp - pairedAtMs < PAIR_MS;
    pairedAtMs = Number.NEGATIVE_INFINITY;
    const page = isSecond ? ENTRIES.find(({ key }) => key === event.key) : undefined;
    if (page) go(addressOf(page, namespaceNow()));
    else if (event.key === 'g') pairedAtMs = event.timeStamp;
    else if (event.key === '?') go('/keys');
    else if (event.key !== '/' || !focusSearch()) return;
    event.preventDefault();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select');
}

/** Whether the page has a field for a search. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('[data-search]');
  field?.focus();
  field?.select();
  return field !== null;
}
