import { Gauge, Histogram, type Registry } from 'prom-client';
import type { PoolState, TransactionMeter } from '../../memory/meters.ts';
import { readGauge } from './read-gauge.ts';

/** From a statement to PostgreSQL on the same machine, to one that is ended by its timeout. */
const SECONDS = [
  0.0005, 0.001, 0.002, 0.003, 0.005, 0.008, 0.013, 0.02, 0.03, 0.05, 0.08, 0.13, 0.2, 0.5, 1, 2, 5, 10, 30,
];

/** Metrics of the PostgreSQL that owns the memories. */
export function postgresMetrics(registers: Registry[], pool: () => PoolState): TransactionMeter {
  new Gauge({
    name: 'mneme_postgres_connections',
    help: 'Connections to PostgreSQL that are in_use and idle, without those that wait for notifications.',
    labelNames: ['state'],
    registers,
    collect() {
      const { inUseCount, idleCount } = pool();
      this.set({ state: 'in_use' }, inUseCount);
      this.set({ state: 'idle' }, idleCount);
    },
  });
  const gauge = (name: string, help: string, read: (pool: PoolState) => number) =>
    readGauge(registers, `mneme_postgres_${name}`, help, () => read(pool()));
  gauge('connections_limit', 'Most connections to PostgreSQL in use and idle.', ({ max }) => max);
  const waiting = 'Reads and writes that wait for a connection to PostgreSQL.';
  gauge('connection_requests', waiting, ({ waitingCount }) => waitingCount);
  const wait = new Histogram({
    name: 'mneme_postgres_connection_wait_seconds',
    help: 'Time that a read or a write waits for a connection to PostgreSQL.',
    buckets: SECONDS,
    registers,
  });
  const duration = new Histogram({
    name: 'mneme_postgres_transaction_duration_seconds',
    help: 'Time of a transaction in PostgreSQL on its connection, until it is committed or has failed, by kind: read, write (the commit is durable).',
    labelNames: ['kind'],
    buckets: SECONDS,
    registers,
  });
  return {
    connected: (waitMs) => wait.observe(waitMs / 1000),
    ended: (kind, durationMs) => duration.observe({ kind }, durationMs / 1000),
  };
}
