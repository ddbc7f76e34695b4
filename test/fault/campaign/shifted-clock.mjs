// Loaded into a server by NODE_OPTIONS=--import: its wall clock is that of the machine plus the milliseconds in the file that
// MNEME_TEST_CLOCK names, as after a jump of the machine's clock. Monotonic clocks go on as they are.
import { readFileSync } from 'node:fs';
import { env } from 'node:process';

const CHECK_MS = 20;
const Machine = Date;
let offsetMs = 0;

const shiftedNow = () => Machine.now() + offsetMs;

function readOffset(file) {
  try {
    offsetMs = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    // Not written yet.
  }
}

const file = env.MNEME_TEST_CLOCK;
if (file !== undefined) {
  readOffset(file);
  setInterval(() => readOffset(file), CHECK_MS).unref();
  globalThis.Date = new Proxy(Machine, {
    construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [shiftedNow()] : args, made),
    get: (target, key) => (key === 'now' ? shiftedNow : Reflect.get(target, key)),
  });
  Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + offsetMs, configurable: true });
}
