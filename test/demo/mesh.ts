/**
 * `make demo-mesh`: three servers over one PostgreSQL and one Redis behind Envoy, with mutual TLS, while servers are killed and
 * stopped, PostgreSQL is restarted, Redis is frozen and certificates are rotated; see mesh/README.md. Exits with 1 on any violation.
 */
import { parseArgs } from 'node:util';
import { Outcomes } from '../support/outcomes.ts';
import { FAULTS } from './mesh/faults.ts';
import { play } from './mesh/play.ts';
import { report } from './mesh/report.ts';

const { values } = parseArgs({
  allowNegative: true,
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now()) },
    only: { type: 'string' },
    faults: { type: 'string' },
    'pause-ms': { type: 'string', default: '250' },
    calls: { type: 'string', default: '30' },
    redis: { type: 'boolean', default: true },
  },
});
const only = [...FAULTS, 'redis' as const].find((each) => each === values.only);
if (only !== values.only) {
  console.error(`--only: expected ${FAULTS.join(', ')} or redis`);
  process.exit(2);
}

const withRedis = values.redis || only === 'redis';
const [minutes, pauseMs, calls] = [Number(values.minutes), Number(values['pause-ms']), Number(values.calls)];
const faultCount = values.faults === undefined ? undefined : Number(values.faults);
if (!(minutes > 0 && pauseMs >= 0 && calls > 0 && (faultCount ?? 1) > 0)) {
  console.error('--minutes, --pause-ms, --calls, --faults: expected numbers');
  process.exit(2);
}

const redis = withRedis ? 'Redis' : 'no Redis';
console.log(
  `3 servers, PostgreSQL 18, ${redis}, Envoy, mutual TLS; callers in TypeScript, Python and Go; seed ${values.seed}`,
);
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
const played = await play({
  signal: interrupted.signal,
  seed: values.seed,
  minutes,
  only,
  faultCount,
  withRedis,
  pauseMs,
  calls,
});
const outcomes = new Outcomes('test/demo/mesh');
report(played, outcomes);
outcomes.finish();
