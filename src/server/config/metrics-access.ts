import { checkPem, fileOf, tokensOfFile } from './access.ts';

/** Authentication of the metrics listener. */
export interface MetricsAccess {
  /** Contents of PEM files; absent without TLS. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer };
  /** Readers of `/metrics` send one of them; none: none is needed. */
  readonly tokens: readonly string[];
}

export interface MetricsTlsSettings {
  readonly metricsTlsCert: string;
  readonly metricsTlsKey: string;
}

export interface MetricsAccessSettings extends MetricsTlsSettings {
  readonly metricsTokenFile: string;
}

/** Reads the files that the settings name; fails in one line that names the setting. */
export function readMetricsAccess(settings: MetricsAccessSettings): MetricsAccess {
  const { metricsTokenFile } = settings;
  const tokens = tokensOfFile('--metrics-token-file', metricsTokenFile);
  if (metricsTokenFile !== '' && tokens.length === 0) {
    throw new Error('--metrics-token-file: expected at least one token');
  }
  const tls = readMetricsTls(settings);
  return { tls, tokens };
}

/** `undefined` without TLS; fails in one line that names the setting. */
export function readMetricsTls({ metricsTlsCert, metricsTlsKey }: MetricsTlsSettings): MetricsAccess['tls'] {
  if (metricsTlsCert === '') return undefined;
  const cert = fileOf('--metrics-tls-cert', metricsTlsCert);
  const key = fileOf('--metrics-tls-key', metricsTlsKey);
  checkPem('--metrics-tls-cert and --metrics-tls-key', { cert, key });
  return { cert, key };
}
