/** Called operation, before it has any effect. */
export interface AuditedOperation {
  /** Identifies the operation in the log: the id of its call. */
  readonly call: string;
  /** The caller's identity; never a secret. */
  readonly identity: string;
  /** `package.Service/Method`. */
  readonly method: string;
  /** Name of the namespace; empty: the server as a whole. */
  readonly namespace: string;
  /** Names of what it is about, within limits; empty: all of the namespace, or what a filter selects. */
  readonly names: readonly string[];
  /** As the caller named the request; empty: it did not. */
  readonly request: string;
  /** True where it was asked only what would happen. */
  readonly dryRun?: boolean;
}

/** How an operation has ended. */
export interface AuditedEnd {
  readonly call: string;
  /** `OK`, or the reason of the error. */
  readonly outcome: string;
  /** Objects that were changed or deleted, where the answer says it. */
  readonly count?: number;
}

/** Calls that were refused for lack of permission, without any effect. */
export interface RefusedCalls extends AuditedOperation {
  /** The reason of the error. */
  readonly outcome: string;
  readonly callCount: number;
}

/** Records operations. */
export interface AuditSink {
  /** Resolves when the record is on disk. */
  begin(operation: AuditedOperation): Promise<void>;
  /** Resolves when the record is on disk. */
  end(end: AuditedEnd): Promise<void>;
  /** Records a call that was refused for lack of permission. Waits for nothing: calls in any number share records. */
  refused(operation: AuditedOperation, outcome: string): void;
}

/**
 * One line of the log. An operation has a line before it takes effect and one before it is answered; refused calls have
 * one line.
 */
export type AuditLine = { readonly at: string } & (AuditedOperation | AuditedEnd | RefusedCalls);

/** An operation with its end, for readers of the log. */
export interface AuditEntry extends AuditedOperation {
  /** RFC 3339. */
  readonly at: string;
  /** `UNKNOWN`: the server ended before the operation did, which may have taken effect. */
  readonly outcome: string;
  readonly count?: number;
  /** Calls that this entry is about; absent: one. */
  readonly callCount?: number;
}

/** The form of a line; undefined for bytes that are none, such as the torn end of a file. */
export function auditLineOf(text: string): AuditLine | undefined {
  try {
    const line = JSON.parse(text) as Partial<AuditLine>;
    const isWhole = typeof line.at === 'string' && typeof line.call === 'string';
    return isWhole && ('method' in line || 'outcome' in line) ? (line as AuditLine) : undefined;
  } catch {
    return undefined;
  }
}
