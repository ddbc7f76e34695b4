/** The result of one check of this machine. */
export interface Finding {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** The repair. */
  readonly fix?: string;
}
