import { Counter, type Registry } from 'prom-client';
import { readGauge } from './read-gauge.ts';

/** The view of records that a data folder is. */
export interface MeasuredView {
  readonly lag: { readonly namespaceCount: number; readonly seconds: number };
  readonly namespaceCount: number;
  readonly bytes: number;
  readonly builds: {
    readonly runningCount: number;
    readonly doneCount: number;
    readonly failedCount: number;
    readonly seconds: number;
  };
  readonly evictedCount: number;
}

/** Metrics of a view. */
export function viewMetrics(registers: Registry[], view: () => MeasuredView): void {
  const gauge = (name: string, help: string, read: (state: MeasuredView) => number) =>
    readGauge(registers, `mneme_view_${name}`, help, () => read(view()));
  const counter = (name: string, help: string, read: (state: MeasuredView) => number) =>
    new Counter({
      name: `mneme_view_${name}_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read(view()));
      },
    });
  gauge('lag_seconds', 'Longest time for which a namespace of the view has been behind.', ({ lag }) => lag.seconds);
  gauge('lag_namespaces', 'Namespaces of the view that are behind.', ({ lag }) => lag.namespaceCount);
  gauge('namespaces', 'Namespaces in the view.', ({ namespaceCount }) => namespaceCount);
  const bytes = 'Bytes of the view on the disk with its log of changes, without free pages and the write-ahead log.';
  gauge('bytes', bytes, (state) => state.bytes);
  gauge('builds_running', 'Views of namespaces that are being built.', ({ builds }) => builds.runningCount);
  counter('builds', 'Views of namespaces that were built.', ({ builds }) => builds.doneCount);
  counter('build_failures', 'Builds that failed; the next call repeats them.', ({ builds }) => builds.failedCount);
  counter('build_seconds', 'Time of the builds that are done.', ({ builds }) => builds.seconds);
  counter('evictions', 'Namespaces evicted from the view for lack of space.', ({ evictedCount }) => evictedCount);
}
