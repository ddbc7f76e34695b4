import { randomUUID } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { headersIn } from '../config/otlp-headers.ts';
import { packageVersion } from '../config/version.ts';
import type { Logger } from '../logger.ts';
import type { Telemetry } from '../tracing/open-telemetry.ts';

/** Traces to the collector of the settings; without one nothing is loaded. */
export async function openTracing(
  config: Config,
  parentLogger: Logger,
  closers: (() => Promise<void>)[],
): Promise<Telemetry | undefined> {
  if (config.otlpUrl === '') return undefined;
  const { openTelemetry } = await import('../tracing/open-telemetry.ts');
  const logger = parentLogger.child({ part: 'traces' });
  const telemetry = openTelemetry({
    url: config.otlpUrl,
    headers: headersIn(config.otlpHeaders) ?? {},
    timeoutMs: config.otlpTimeoutMs,
    sampleRatio: config.traceSamplePercent / 100,
    queueMax: config.traceQueueCount,
    version: packageVersion(),
    instanceId: randomUUID(),
    onChange: (failure) => {
      if (failure !== undefined) logger.warn({ reason: failure }, 'the collector does not take traces');
      else logger.info('the collector takes traces again');
    },
  });
  closers.push(() => telemetry.close());
  return telemetry;
}
