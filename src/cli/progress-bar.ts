import { columnsOf, cut, type Terminal } from './terminal.ts';

const BAR_COLUMNS = 28;
/** Columns between the bar and the text: the share, and spaces. */
const SHARE_COLUMNS = 8;
const REDRAW_MS = 80;

interface ProgressBar {
  /** Shows the progress; without a total only the count. `text` replaces the displayed count. */
  update(done: number, total?: number, text?: string): void;
  /** Removes the bar. */
  stop(): void;
}

/** A progress bar on stderr; silent without a terminal. */
export function progressBar(
  label: string,
  stream: Terminal & { write(text: string): unknown } = process.stderr,
  nowMs: () => number = performance.now.bind(performance),
): ProgressBar {
  if (stream.isTTY !== true) return { update: () => {}, stop: () => {} };
  const startedAtMs = nowMs();
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  return {
    update(done, total, text) {
      const atMs = nowMs();
      if (atMs - drawnAtMs < REDRAW_MS && done !== total) return;
      drawnAtMs = atMs;
      const seconds = ((atMs - startedAtMs) / 1000).toFixed(1);
      const count = text ?? (total === undefined ? `${done}` : `${done}/${total}`);
      const after = `${count}  ${seconds} s`;
      // A wrapped line cannot be overwritten: leave space for a "^C" after it too.
      const columns = columnsOf(stream) - 3;
      const bar = total === undefined ? '' : `${barOf(done, total, columns - `${label} ${after}`.length)}  `;
      const line = `${label} ${bar}${after}`;
      stream.write(`\r\x1b[K${line.length > columns ? cut(line, columns) : line}`);
    },
    stop() {
      if (drawnAtMs === Number.NEGATIVE_INFINITY) return;
      drawnAtMs = Number.NEGATIVE_INFINITY;
      stream.write('\r\x1b[K');
    },
  };
}

/** As long as fits. */
function barOf(done: number, total: number, columns: number): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const length = Math.max(0, Math.min(BAR_COLUMNS, columns - SHARE_COLUMNS));
  const filled = Math.round(share * length);
  const bar = '█'.repeat(filled) + '░'.repeat(length - filled);
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)} %`;
}

/** A bar while bytes come; it is away before and after, where the log would be written behind it. */
export function downloadBar(bar: ProgressBar) {
  return (file: string, loadedBytes: number, totalBytes?: number): void => {
    const total = totalBytes === undefined ? '' : `/${megabytes(totalBytes)}`;
    if (loadedBytes === 0 || loadedBytes === totalBytes) bar.stop();
    else bar.update(loadedBytes, totalBytes, `${file} ${megabytes(loadedBytes)}${total} MB`);
  };
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
