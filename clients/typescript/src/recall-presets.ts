import type { TimeLike } from './precise-date.ts';
/** A preset and its parameters. */
export interface RecallPreset {
  /** A name from `listRecallPresets`, such as `attribute` or `last_hours`. */
  readonly name: string;
  readonly parameters?: { readonly [parameter: string]: unknown };
  /** Instant that relative windows are counted back from. Default: the server's clock. */
  readonly now?: TimeLike;
}

/** Description of a preset and its parameters. */
export interface RecallPresetDescription {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly description: string;
    readonly type: string;
    /** As JSON; empty when there is none. */
    readonly defaultJson: string;
    readonly limits: string;
    readonly required: boolean;
  }[];
}
