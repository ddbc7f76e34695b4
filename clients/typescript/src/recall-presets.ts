/** A retrieval form and what is said to it. */
export interface RecallPreset {
  /** As `listRecallPresets` tells it, such as `attribute` or `last_hours`. */
  readonly name: string;
  readonly parameters?: { readonly [parameter: string]: unknown };
  /** Instant that relative windows are counted back from. Default: the server's clock. */
  readonly now?: Date;
}

/** What a preset does and takes. */
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
