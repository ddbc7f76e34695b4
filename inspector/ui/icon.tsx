const PATHS = {
  mark: 'M5 19V6l7 7 7-7v13',
  menu: 'M4 7h16M4 12h16M4 17h16',
  down: 'M7 10l5 5 5-5',
  close: 'M6 6l12 12M18 6L6 18',
  sun: 'M12 8a4 4 0 100 8 4 4 0 000-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6L7 7M17 17l1.4 1.4M18.4 5.6L17 7M7 17l-1.4 1.4',
  moon: 'M20 14.5A8.5 8.5 0 019.5 4 8.5 8.5 0 1020 14.5z',
  contrast: 'M12 3a9 9 0 100 18 9 9 0 000-18zM12 3v18M15 5v14M18 7.5v9',
  key: 'M15.5 4a4.5 4.5 0 100 9 4.5 4.5 0 000-9zM12.3 11.7L4 20M7 17l2.5 2.5M4 20l2 1',
  'key-set': 'M15.5 4a4.5 4.5 0 100 9 4.5 4.5 0 000-9zM12.3 11.7L4 20M7 17l2.5 2.5M4 20l2 1M13.5 8.5l1.5 1.5 2.5-3',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 5l12 7-12 7z',
  again: 'M20 11a8 8 0 10-2.3 6.3M20 5v6h-6',
} as const;

export type IconName = keyof typeof PATHS;

/** Beside a text or a label, which say the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
