import { checkPem, fileOf, tokensIn } from './access.ts';

/** Authentication of the metrics listener. */
export interface MetricsAccess {
  /** Contents of PEM files; absent without TLS. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer };
  /** Readers of `/metrics` send one of them; none: none is needed. */
  readonly tokens: readonly string[];
}

export interface MetricsAccessSettings {
  readonly metricsTlsCert: string;
  readonly metricsTlsKey: string;
  readonly metricsTokenFile: string;
}

/** Reads the files that the settings name; fails in one line that names the setting. */
export function readMetricsAccess(settings: MetricsAccessSettings): MetricsAccess {
  const { metricsTlsCert, metricsTlsKey, metricsTokenFile } = settings;
  const tokens =
    metricsTokenFile === '' ? [] : tokensIn('', fileOf('--metrics-token-file', metricsTokenFile).toString());
  if (metricsTokenFile !== '' && tokens.length === 0) {
    throw new Error('--metrics-token-file: expected at least one token');
  }
  if (metricsTlsCert === '') return { tokens };
  const cert = fileOf('--metrics-tls-cert', metricsTlsCert);
  const key = fileOf('--metrics-tls-key', metricsTlsKey);
  checkPem('--metrics-tls-cert and --metrics-tls-key', { cert, key });
  return { tls: { cert, key }, tokens };
}
