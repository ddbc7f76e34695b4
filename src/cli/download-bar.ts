import type { ProgressBar } from './progress-bar.ts';

/** A bar while bytes come; it is away before and after, where the log would be written behind it. */
export function downloadBar(bar: ProgressBar): (file: string, loadedBytes: number, totalBytes?: number) => void {
  return (file, loadedBytes, totalBytes) => {
    if (loadedBytes === 0 || loadedBytes === totalBytes) return bar.stop();
    const total = totalBytes === undefined ? '' : `/${megabytes(totalBytes)}`;
    bar.update(loadedBytes, totalBytes, `${file} ${megabytes(loadedBytes)}${total} MB`);
  };
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
