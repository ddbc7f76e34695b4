import type { JsonValue } from '@bufbuild/protobuf';
import type { Asked, FakeAnswer } from './fake-server.ts';
import type { ServerSpec } from './mneme-process.ts';

/** Expected result or error of a step. Without either the step must not fail. */
interface Outcome {
  readonly expect?: unknown;
  readonly error?: unknown;
  /** Begins it only: `await` waits for it by this name. */
  readonly as?: string;
  /** Sends it that many times concurrently; `#` in it is replaced by the number from 0. All must succeed. */
  readonly times?: number;
}

type Fields = Readonly<Record<string, unknown>>;

/** One step of a scenario. Its client is that of `connect`, unless it names another. */
export type Step =
  | { readonly connect: string; readonly to?: Place; readonly options?: Fields }
  | ({ readonly call: string; readonly client?: string; readonly args?: Fields } & Outcome)
  | ({ readonly rpc: string; readonly client?: string; readonly request?: JsonValue } & Outcome)
  | ({ readonly await: string } & Outcome)
  /** What was begun by this name must not have ended yet. */
  | { readonly pending: string }
  | ({ readonly open: string; readonly stream: string; readonly client?: string; readonly args?: Fields } & Outcome)
  /** Reads that many items; or with `until` reads on until one matches, and drops those before it. */
  | ({ readonly next: string; readonly count?: number; readonly until?: unknown } & Outcome)
  | ({ readonly send: string; readonly item: unknown } & Outcome)
  | ({ readonly end: string } & Outcome)
  | { readonly cancel: string }
  | { readonly close: string; readonly as?: string }
  | { readonly server: 'start' | 'kill' | 'stop' }
  | { readonly link: 'cut' | 'reset' | 'freeze' | 'thaw' | 'lose_answers' | 'garble' }
  /** From now on the fake server answers so. */
  | { readonly fake: Readonly<Record<string, readonly FakeAnswer[]>> }
  /** The calls of one method that the fake server has got. */
  | { readonly asked: string; readonly expect: readonly Partial<Record<keyof Asked, unknown>>[] }
  /** Asks the server itself, past the client, until it answers so. */
  | { readonly wait: string; readonly request: JsonValue; readonly expect: unknown };

export type Place = 'server' | 'link' | 'fake' | 'garbage' | 'web' | 'nowhere';

export interface Scenario {
  readonly name: string;
  /** Default: the server that scenarios share. `false`: none. */
  readonly server?: ServerSpec | false;
  /** Where the first client, `a`, is connected to, and how; `false`: there is none. Default: to the server. */
  readonly connect?: { readonly to?: Place; readonly options?: Fields } | false;
  /** Languages whose drivers may answer `unsupported`: the step is then skipped. */
  readonly unsupported?: readonly string[];
  readonly steps: readonly Step[];
}

export interface ScenarioFile {
  /** Service of the API that the scenarios are about: clients that lack it by clients/not-yet.json do not play them. */
  readonly service?: string;
  readonly scenarios: readonly Scenario[];
}
