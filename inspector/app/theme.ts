import { Store } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'mneme.theme';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

/** Choice of colours of this browser; `system` follows `prefers-color-scheme`. */
export const theme = new Store<Theme>(THEMES.find((each) => each === localStorage.getItem(KEY)) ?? 'system');

export function setTheme(chosen: Theme): void {
  if (chosen === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, chosen);
  theme.set(chosen);
  applyTheme();
}

export function nextTheme(current: Theme): Theme {
  return THEMES[(THEMES.indexOf(current) + 1) % THEMES.length] ?? 'system';
}

export function applyTheme(): void {
  const { value } = theme;
  if (value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = value;
}
