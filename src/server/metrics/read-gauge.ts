import { Gauge, type Registry } from 'prom-client';

/** A gauge without labels whose value is read at each scrape. */
export function readGauge(registers: Registry[], name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read());
    },
  });
}
