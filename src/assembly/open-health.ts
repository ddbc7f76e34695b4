import type { Config } from '../config/config.ts';
import { Health } from '../grpc/admin/health-service.ts';
import { SERVICES } from '../grpc/edge/service-names.ts';
import { healthJob } from '../jobs/health-job.ts';
import type { Logger } from '../logger.ts';
import type { Clock } from '../memory/clock.ts';
import { BackendHealth, type WatchedBackend } from '../operations/admin/backend-health.ts';

/** Lets the health of services follow the backends that they depend on. */
export function openHealth(config: Config, backends: readonly WatchedBackend[], clock: Clock, parentLogger: Logger) {
  const logger = parentLogger.child({ part: 'health' });
  const health = new Health(SERVICES);
  const all = backends.map((backend) => new BackendHealth(backend, clock));
  const onChange = (): void => {
    const services = [...new Set(all.flatMap(({ lostServices }) => lostServices))];
    if (services.length > 0) logger.warn({ services }, 'services do not serve: a backend does not answer');
    else logger.info('all services serve again');
    health.lose(services);
  };
  const jobs = all.map((backend) => healthJob(backend, config.backendProbeIntervalMs, onChange, logger));
  return {
    health,
    /** Backends that do not answer, and since when, for people. */
    degraded: (): string[] => all.flatMap(({ degraded }) => degraded ?? []),
    start(): void {
      for (const job of jobs) job.start(config.backendProbeIntervalMs);
    },
    async stop(): Promise<void> {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}
