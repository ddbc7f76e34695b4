import { type ConnectOptions, connect, type Mneme } from '../../../clients/typescript/src/index.ts';
import { type Services, type StartedService, startService } from './start-service.ts';

const undo: (() => unknown)[] = [];

/** Answers arrive in time, however busy the machine. */
export const PATIENT = { timeoutMs: 60_000, recallTimeoutMs: 60_000 } as const;

/** Runs cleanup functions registered by the test in `afterEach(cleanUp)`. */
export function onCleanUp(step: () => unknown): void {
  undo.push(step);
}

export async function cleanUp(): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step();
}

/** A server with these methods and a client of it, both closed after the test. */
export async function serve(
  services: Services,
  options: ConnectOptions = {},
): Promise<{ service: StartedService; mneme: Mneme }> {
  const service = await startService(services);
  onCleanUp(() => service.stop());
  return { service, mneme: client(service.address, options) };
}

export function client(address: string, options: ConnectOptions = {}): Mneme {
  const mneme = connect(address, { ...PATIENT, ...options });
  onCleanUp(() => void mneme.close());
  return mneme;
}
