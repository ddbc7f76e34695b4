import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { PostgresServer } from '../support/postgres-server.ts';

const PROMTOOL = '.toolchain/promtool/promtool';
const ALERTS = 'deploy/prometheus/alerts.yaml';
const CASES = 'deploy/prometheus/alerts_test.yaml';
const DASHBOARD = 'deploy/grafana/mneme.json';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
}

const dashboard = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as {
  readonly uid: string;
  readonly panels: readonly Panel[];
};
const targets = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

function promtool(args: readonly string[], input = ''): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { input, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

let postgres: PostgresServer;
const servers: TestServer[] = [];
/** Of a server with its own data, and of one on PostgreSQL. */
let expositions: readonly string[];
let exposition: string;
let known: ReadonlySet<string>;

beforeAll(async () => {
  execFileSync('tools/promtool.sh', { stdio: 'inherit' });
  // Without a collector there is no metric of traces; nothing is sent before the first call.
  const flags = { metricsListen: '127.0.0.1:0', otlpUrl: 'http://127.0.0.1:9' };
  servers.push(await startTestServer(flags));
  postgres = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
  servers.push(await startTestServer(flags, {}, { MNEME_POSTGRES_URL: postgres.url }));
  const addresses = servers.map(({ server }) => `http://${server.metricsAddress}/metrics`);
  expositions = await Promise.all(addresses.map(async (address) => (await fetch(address)).text()));
  exposition = expositions.join('');
  const kinds = [...exposition.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  known = new Set([
    // Of Prometheus itself.
    'up',
    ...kinds.flatMap(([, name = '', kind]) =>
      kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  ]);
}, 300_000);
afterAll(async () => {
  for (const server of servers.reverse()) await server.stop();
  await postgres?.stop();
  postgres?.remove();
});

/** Names of metrics in an expression: ours, those of the process, and `up`. */
function metricsIn(expr: string): string[] {
  const bare = expr.replace(/"[^"]*"/g, '').replace(/\b(by|without)\s*\([^)]*\)/g, '');
  return bare.match(/\b(?:mneme|grpc_server|process|nodejs)_\w+|\bup\b/g) ?? [];
}

describe('alert rules', () => {
  it('promtool check rules › no fault', () => {
    expect(promtool(['check', 'rules', '--lint-fatal', ALERTS])).toMatchObject({ status: 0 });
  });

  it('promtool test rules › every case holds', () => {
    const { status, output } = promtool(['test', 'rules', CASES]);
    expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' });
  });

  it('every alert has a case in which it fires, and one in which it does not', () => {
    const alerts = [...readFileSync(ALERTS, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    const cases = readFileSync(CASES, 'utf8');
    expect(alerts.length).toBeGreaterThan(10);
    expect(new Set(alerts).size).toBe(alerts.length);
    expect(alerts.filter((name) => !new RegExp(`alertname: ${name}\\n\\s+exp_alerts`).test(cases))).toEqual([]);
    expect(alerts.filter((name) => !new RegExp(`alertname: ${name} \\}`).test(cases))).toEqual([]);
  });

  it('every metric of a rule is one of a running server', () => {
    const rules = [...readFileSync(ALERTS, 'utf8').matchAll(/expr: (?:\|\n)?((?:.|\n(?!\s+(?:for|labels):))+)/g)];
    const names = rules.flatMap(([, expr = '']) => metricsIn(expr));
    expect(names.length).toBeGreaterThanOrEqual(rules.length);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('every metric of a panel is one of a running server, and every expression is one of Prometheus', () => {
    expect(targets.length).toBeGreaterThan(30);
    const unknown = targets.flatMap(({ title, expr }) =>
      metricsIn(expr)
        .filter((name) => !known.has(name))
        .map((name) => `${title}: ${name}`),
    );
    expect(unknown).toEqual([]);
    const rules = targets.map(({ expr }, at) => {
      const filled = expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '5m');
      return `      - { record: 'panel:${at}', expr: ${JSON.stringify(filled)} }`;
    });
    const folder = mkdtempSync(join(tmpdir(), 'mneme-panels-'));
    const file = join(folder, 'panels.yaml');
    writeFileSync(file, `groups:\n  - name: panels\n    rules:\n${rules.join('\n')}\n`);
    const { status, output } = promtool(['check', 'rules', file]);
    rmSync(folder, { recursive: true });
    expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' });
  });

  it('every metric of Mneme is on it or in a rule, but for those that only count what another one shows', () => {
    const shown = new Set([...targets.map(({ expr }) => expr), readFileSync(ALERTS, 'utf8')].flatMap(metricsIn));
    const own = [...new Set([...exposition.matchAll(/^# TYPE (mneme_\S+) (\S+)$/gm)].map(([, name = '']) => name))];
    expect(own.filter((name) => /^mneme_(view|postgres|job)_/.test(name)).length).toBeGreaterThan(10);
    const missing = own.filter((name) => ![...shown].some((one) => one === name || one.startsWith(`${name}_`)));
    expect(missing.sort()).toEqual([...NOT_SHOWN].sort());
  });

  it('panels have ids of their own and do not overlap', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(cells.every((cell) => Number(cell.split(',')[0]) < 24)).toBe(true);
  });
});

describe('the exposition', () => {
  it('promtool check metrics › names and units are those that Prometheus asks for', () => {
    // Metrics of the client library itself are not ours to name.
    const own = expositions.map((text) => {
      const lines = text.split('\n').filter((line) => !/^(?:# \w+ )?nodejs_/.test(line));
      return lines.join('\n');
    });
    expect(own.map((text) => promtool(['check', 'metrics'], text).output.trim())).toEqual(['', '']);
  });

  it('no label is one that Prometheus adds to every metric', () => {
    expect(exposition.split('\n').filter((line) => /[{,](?:job|instance)="/.test(line))).toEqual([]);
  });
});

const NOT_SHOWN = [
  'mneme_consumers',
  'mneme_extraction_duration_seconds',
  'mneme_extraction_facts_total',
  'mneme_extraction_turns_waiting',
  'mneme_log_entries',
  'mneme_log_oldest_revision',
  'mneme_memory_pressure_above_bytes',
  'mneme_memory_pressure_moves_total',
  'mneme_recall_cache_bytes',
  'mneme_recall_cache_entries',
  'mneme_revision',
  'mneme_standing_queries',
];
