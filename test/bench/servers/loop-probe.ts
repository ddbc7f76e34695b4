/**
 * Loaded into a server by `--import`: records the longest stretches in which its main loop ran nothing else, and writes
 * them to the file of `MNEME_TEST_LOOP_PROBE` when the process ends. CPU time distinguishes a busy loop from one
 * without a core to run on.
 */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

export interface Stretch {
  readonly atMs: number;
  readonly elapsedMs: number;
  readonly cpuMs: number;
}

const EVERY_MS = 1;
const KEPT = 20;
/** Work of the process before it serves does not count. */
const SKIPPED_MS = 2000;

const file = process.env['MNEME_TEST_LOOP_PROBE'];
if (isMainThread && file) watch(file);

function watch(file: string): void {
  const byElapsed: Stretch[] = [];
  const byCpu: Stretch[] = [];
  let lastMs = performance.now();
  let lastCpu = cpuMs();
  setInterval(() => {
    const nowMs = performance.now();
    const nowCpu = cpuMs();
    const stretch = { atMs: nowMs, elapsedMs: nowMs - lastMs - EVERY_MS, cpuMs: nowCpu - lastCpu };
    lastMs = nowMs;
    lastCpu = nowCpu;
    if (nowMs < SKIPPED_MS) return;
    keep(byElapsed, stretch, 'elapsedMs');
    keep(byCpu, stretch, 'cpuMs');
  }, EVERY_MS).unref();
  process.on('exit', () => writeFileSync(file, JSON.stringify({ byElapsed, byCpu })));
}

function keep(longest: Stretch[], stretch: Stretch, by: 'elapsedMs' | 'cpuMs'): void {
  const least = longest[KEPT - 1];
  if (least && least[by] >= stretch[by]) return;
  longest.push(stretch);
  longest.sort((a, b) => b[by] - a[by]);
  longest.length = Math.min(longest.length, KEPT);
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
