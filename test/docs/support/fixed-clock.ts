/**
 * Preloaded into the processes that run the examples of the documentation (`node --import`): their clocks start at the
 * same day in every run. DOCS_CLOCK_SHIFT_MS is the shift from the clock of this machine.
 */
const shiftMs = Number(process.env['DOCS_CLOCK_SHIFT_MS']);
if (!Number.isFinite(shiftMs)) throw new Error('DOCS_CLOCK_SHIFT_MS must be a number of milliseconds');

const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...provided: []) {
    if (provided.length === 0) super(RealDate.now() + shiftMs);
    else super(...provided);
  }
  static override now(): number {
    return RealDate.now() + shiftMs;
  }
} as DateConstructor;
Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + shiftMs });
