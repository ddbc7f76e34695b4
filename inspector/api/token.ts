import { Store } from '../app/store.ts';

const KEY = 'mneme.token';

/** Bearer token of this tab, empty for none. It ends with the tab and is sent in a header only. */
export const credentials = new Store(sessionStorage.getItem(KEY) ?? '');

export function setToken(token: string): void {
  if (token === '') sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token);
  credentials.set(token);
}
