import { createMetrics, type Gauges } from '../../src/server/metrics/metrics.ts';
import { table } from '../api-docs/table.ts';

const MADE_BY = '<!-- Made by `make docs` from src/server/metrics. -->';

const INTRO = `A server with \`--metrics-listen\` serves these at \`/metrics\`, in the text format of Prometheus.
[Observability](observability.md) says how to read them, with alerts and a dashboard.

Calls are counted by the names that gRPC itself has given (gRFC A66), which dashboards for gRPC know. Durations are in
seconds, sizes in bytes. No label has values that callers choose, but for identities that use limits or are refused (200
at most of each): namespaces are a label of the sizes of tiers only with \`--metrics-namespace-count\`. A histogram has
\`_bucket\`, \`_sum\` and \`_count\`.`;

const GROUPS: readonly (readonly [heading: string, prefix: RegExp])[] = [
  ['Calls', /^grpc_server_|^mneme_(calls|quota)_/],
  ['Writes and the search thread', /^mneme_(write|commit|search)_/],
  ['PostgreSQL and views', /^mneme_(postgres|view)_/],
  ['Tiers and memory', /^mneme_(tier|memory)_/],
  ['Streams and the change log', /^mneme_(streams|standing|consumers|subscription|webhook|log|revision)/],
  ['Cache of answers', /^mneme_recall_cache_/],
  ['Extraction and consolidation', /^mneme_(extraction|consolidation)_/],
  ['The server', /^mneme_/],
  ['The process', /^process_/],
  ['Node.js', /^nodejs_/],
];

export function metricsPage(): string {
  const metrics = createMetrics(NO_VALUES, { namespacesMax: 1 });
  metrics.stop();
  const rows = new Map<string, string[][]>();
  for (const { name, help, type, labels } of metrics.described()) {
    const heading = GROUPS.find(([, prefix]) => prefix.test(name))?.[0];
    if (heading === undefined) throw new Error(`${name} belongs to no group of tools/reference-docs/metrics.ts`);
    const row = [`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(' '), help];
    rows.set(heading, [...(rows.get(heading) ?? []), row]);
  }
  const sections = GROUPS.flatMap(([heading]) => {
    const found = rows.get(heading);
    return found ? [`## ${heading}\n\n${table(['Metric', 'Type', 'Labels', 'Meaning'], found)}`] : [];
  });
  return `${[MADE_BY, '# Metrics', INTRO, ...sections].join('\n\n')}\n`;
}

/** The descriptions are read, never the values. */
const VALUES: Partial<Gauges> = { version: '', spans: () => ({ exported: 0, failed: 0, dropped: 0 }) };
const NO_VALUES = new Proxy(VALUES, {
  get: (values, name): unknown => values[name as keyof Gauges] ?? noValue,
}) as Gauges;

function noValue(): never {
  throw new Error('the page of the metrics reads no values');
}
