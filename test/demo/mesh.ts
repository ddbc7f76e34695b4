/**
 * `make demo-mesh`: three servers over one PostgreSQL behind Envoy, with mutual TLS, while servers are killed and stopped,
 * PostgreSQL is restarted and certificates are rotated; see mesh/README.md. Exits with 1 on any violation.
 */
import { parseArgs } from 'node:util';
import { FAULTS, type FaultName } from './mesh/faults.ts';
import { play } from './mesh/play.ts';
import { report } from './mesh/report.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now()) },
    only: { type: 'string' },
    faults: { type: 'string' },
    'pause-ms': { type: 'string', default: '250' },
    calls: { type: 'string', default: '30' },
    redis: { type: 'boolean', default: false },
  },
});
const only = [...FAULTS, 'redis' as const].find((each) => each === values.only);
if (only !== values.only) {
  console.error(`--only: expected ${FAULTS.join(', ')} or redis`);
  process.exit(2);
}

const redis = values.redis ? 'Redis on' : 'Redis off (--redis)';
console.log(
  `3 servers, PostgreSQL 18, Envoy, mutual TLS; callers in TypeScript, Python and Go; ${redis}; seed ${values.seed}`,
);
const played = await play({
  seed: values.seed,
  minutes: Number(values.minutes),
  ...(values.faults !== undefined && { faultCount: Number(values.faults) }),
  ...(only !== undefined && { only: only satisfies FaultName }),
  withRedis: values.redis,
  pauseMs: Number(values['pause-ms']),
  calls: Number(values.calls),
});
const { passed, failed } = report(played);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
