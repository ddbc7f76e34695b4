import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualListProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  /** Rows in all, more of which may follow. */
  readonly total: number;
  readonly rowHeight: number;
  readonly keyOf: (row: T) => string;
  /** The first link of a row opens it. */
  readonly draw: (row: T) => ComponentChildren;
  /** Called when the end of what is loaded comes near. */
  readonly onNearEnd: () => void;
}

/** Rows drawn beyond those that are visible. */
const AROUND = 8;
/** Height of the edges above and below. */
const EDGES = 2;
/** Distance from the end, in rows, at which more are loaded. */
const NEAR_ROWS = 60;

/** Rows of one height, of which only the visible ones are in the document: the place of each is a multiplication. */
export function VirtualList<T>({ label, rows, total, rowHeight, keyOf, draw, onNearEnd }: VirtualListProps<T>) {
  const box = useRef<HTMLElement>(null);
  const { top, height } = useScroll(box);
  const first = Math.max(0, Math.floor(top / rowHeight) - AROUND);
  const last = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + AROUND);
  const toFocus = useRef<number | undefined>(undefined);
  useKeptPlace(box, rows, keyOf, rowHeight);
  useEffect(() => {
    if (last > rows.length - NEAR_ROWS) onNearEnd();
  }, [last, rows.length, onNearEnd]);
  useLayoutEffect(() => {
    if (toFocus.current === undefined) return;
    box.current?.querySelector<HTMLElement>(`[aria-posinset="${toFocus.current + 1}"] a`)?.focus();
    toFocus.current = undefined;
  });
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const row = event.target instanceof Element ? event.target.closest('[aria-posinset]') : null;
    const now = row ? Number(row.getAttribute('aria-posinset')) - 1 : -1;
    const next = targetOf(event.key, now, rows.length, Math.max(1, Math.floor(height / rowHeight) - 1));
    if (next === undefined || !box.current) return;
    event.preventDefault();
    const nextTop = next * rowHeight;
    if (nextTop < box.current.scrollTop) box.current.scrollTop = nextTop;
    const bottom = nextTop + rowHeight;
    if (bottom > box.current.scrollTop + height) box.current.scrollTop = bottom - height;
    const there = box.current.querySelector<HTMLElement>(`[aria-posinset="${next + 1}"] a`);
    if (there) there.focus();
    else toFocus.current = next;
  };
  return (
    <section
      ref={box}
      class="virtual"
      style={{ height: `${rows.length * rowHeight + EDGES}px` }}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <ol style={{ height: `${rows.length * rowHeight}px` }}>
        {rows.slice(first, last).map((row, at) => (
          <li
            key={keyOf(row)}
            class="virtual-row"
            aria-posinset={first + at + 1}
            aria-setsize={total}
            style={{ height: `${rowHeight}px`, transform: `translateY(${(first + at) * rowHeight}px)` }}
          >
            {draw(row)}
          </li>
        ))}
      </ol>
    </section>
  );
}

function targetOf(key: string, now: number, count: number, page: number): number | undefined {
  const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
  if (count === 0) return undefined;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  const step = steps[key];
  return step === undefined ? undefined : Math.min(count - 1, Math.max(0, now + step));
}

function useScroll(box: { readonly current: HTMLElement | null }) {
  const [seen, setSeen] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = () => setSeen({ top: element.scrollTop, height: element.clientHeight });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    look();
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [box]);
  return seen;
}

/** Rows that arrive above what is read do not move it. */
function useKeptPlace<T>(
  box: { readonly current: HTMLElement | null },
  rows: readonly T[],
  keyOf: (row: T) => string,
  rowHeight: number,
): void {
  const seen = useRef<{ readonly key: string; readonly at: number } | undefined>(undefined);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const { current } = seen;
    if (current && element.scrollTop > rowHeight) {
      const at = rows.findIndex((row) => keyOf(row) === current.key);
      if (at > current.at) element.scrollTop += (at - current.at) * rowHeight;
    }
    const at = Math.floor(element.scrollTop / rowHeight);
    const row = rows[at];
    seen.current = row === undefined ? undefined : { key: keyOf(row), at };
  }, [rows]);
}
