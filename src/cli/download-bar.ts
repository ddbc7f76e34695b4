import type { ProgressBar } from './progress-bar.ts';

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
