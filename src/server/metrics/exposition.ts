import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Registry } from 'prom-client';

/** The text of all metrics. */
export class Exposition {
  private readonly registry: Registry;
  private underWay: Promise<string> | undefined;

  constructor(registry: Registry) {
    this.registry = registry;
  }

  /** Readers at the same time share one: metrics that are read when asked are not read twice at once. */
  read(): Promise<string> {
    this.underWay ??= this.made().finally(() => {
      this.underWay = undefined;
    });
    return this.underWay;
  }

  /** As `Registry.metrics`, but one metric in each turn of the event loop, so that calls do not wait for all of them. */
  private async made(): Promise<string> {
    const parts: string[] = [];
    for (const { name } of this.registry.getMetricsAsArray()) {
      parts.push(await this.registry.getSingleMetricAsString(name));
      await nextTurn();
    }
    return `${parts.join('\n\n')}\n`;
  }
}
