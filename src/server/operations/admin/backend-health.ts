import { type Clock, secondsOf } from '../../../memory/clock.ts';
import { MnemeError } from '../../../memory/errors.ts';
import type { Micros } from '../../../memory/memory.ts';

/** A store outside of the process that the server depends on. */
export interface WatchedBackend {
  /** Product and purpose, such as `Redis` and `sessions`. */
  readonly technology: 'PostgreSQL' | 'Redis' | 'SQLite';
  readonly keeps: string;
  /** Resolves when the backend answers; otherwise fails with a `MnemeError` that says why not. */
  probe(): Promise<void>;
  /** False as soon as calls to it have failed so often that they are refused at once. */
  readonly isAvailable: boolean;
  /** Names, without package, of the services that cannot work without it. */
  services(): Promise<readonly string[]>;
  /** What is served without it, for operators, such as "memories are read and written". */
  readonly served: string;
}

/** Consecutive equal probe results that change the health: a single failure or success changes nothing. */
const IN_A_ROW = 2;

/** Whether one backend answers, since when it does not, and which services do not serve because of that. */
export class BackendHealth {
  private readonly backend: WatchedBackend;
  private readonly clock: Clock;
  private failures = 0;
  private successes = 0;
  private failingSinceUs: Micros | undefined;
  private reason = '';
  private lost: readonly string[] | undefined;

  constructor(backend: WatchedBackend, clock: Clock) {
    this.backend = backend;
    this.clock = clock;
  }

  get isLost(): boolean {
    return this.lost !== undefined;
  }

  /** Names, without their package, of the services that do not serve. */
  get lostServices(): readonly string[] {
    return this.lost ?? [];
  }

  /** False while probes or calls of the server fail repeatedly. */
  get answers(): boolean {
    return !this.isLost && this.backend.isAvailable;
  }

  /** Description of the problem, its start, and what is served meanwhile, for operators; `undefined` while the backend is healthy. */
  get degraded(): string | undefined {
    if (this.answers) return undefined;
    const { technology, keeps, served } = this.backend;
    const since = this.failingSinceUs === undefined ? '' : ` since ${secondsOf(this.failingSinceUs)}`;
    const why = this.reason === '' ? '' : ` (${this.reason})`;
    return `${keeps}: ${technology} does not answer${since}${why}; ${served}`;
  }

  /** Probes the backend once. Resolves to whether that changed which services serve. */
  async look(): Promise<boolean> {
    const startedAtUs = this.clock.nowUs();
    const before = this.lostServices;
    try {
      await this.backend.probe();
      this.succeeded();
    } catch (error) {
      if (!(error instanceof MnemeError)) throw error;
      await this.failed(error, startedAtUs);
    }
    return String(this.lostServices) !== String(before);
  }

  private succeeded(): void {
    this.failures = 0;
    this.successes++;
    if (this.isLost && this.successes < IN_A_ROW) return;
    this.failingSinceUs = undefined;
    this.reason = '';
    this.lost = undefined;
  }

  private async failed({ message, metadata }: MnemeError, atUs: Micros): Promise<void> {
    this.successes = 0;
    this.failures++;
    this.failingSinceUs ??= atUs;
    // An open circuit breaker is not the cause.
    if (metadata['fault'] !== 'circuit_open') this.reason = message;
    // Settings decide which services these are, and may change meanwhile.
    if (this.isLost || this.failures >= IN_A_ROW || !this.backend.isAvailable)
      this.lost = await this.backend.services();
  }
}
