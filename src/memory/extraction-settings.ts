import { choice, type SettingKind, spanOrNone, wholeNumber } from './setting-kinds.ts';

/** When messages of a conversation are extracted, and by which extractor. */
export interface ExtractionPolicy {
  /** Name of the extractor; empty: that of the server. */
  readonly extractor: string;
  /** Messages of a conversation that are waited for; 0: not counted. */
  readonly turns: number;
  /** Age at which the oldest message that waits is extracted; absent: none. */
  readonly intervalUs?: number;
  /** Time without a new message after which a conversation is extracted; absent: none. */
  readonly idleUs?: number;
  /** Tokens of the messages that wait, about; 0: not counted. */
  readonly tokens: number;
  /** Extractors also see calls of tools and their results. */
  readonly includesToolBlocks: boolean;
}

export const EXTRACTORS = ['rules', 'verbatim', 'model', 'client'] as const;

export const DEFAULT_EXTRACTION_POLICY: ExtractionPolicy = {
  extractor: '',
  turns: 5,
  idleUs: 30_000_000,
  tokens: 4000,
  includesToolBlocks: false,
};

interface Definition<T> {
  readonly kind: SettingKind<T>;
  readonly set: (policy: ExtractionPolicy, value: T) => ExtractionPolicy;
}

function setting<T>(kind: SettingKind<T>, set: Definition<T>['set']) {
  return {
    kind,
    apply(policy: ExtractionPolicy, text: string): ExtractionPolicy {
      const value = kind.read(text);
      return value === undefined ? policy : set(policy, value);
    },
  };
}

const MODEL_NAME: SettingKind<string> = {
  read: (text) => (/^[\x21-\x7e]{1,128}$/.test(text) ? text : undefined),
  expected: '1 to 128 printable ASCII characters without spaces',
};

const DEFINITIONS = {
  'extraction.extractor': setting(choice(...EXTRACTORS), (policy, extractor) => ({ ...policy, extractor })),
  'extraction.turns': setting(wholeNumber(0, 1000, ' (0: not counted)'), (policy, turns) => ({ ...policy, turns })),
  'extraction.interval': setting(spanOrNone(), ({ intervalUs: _, ...policy }, { us }) =>
    us === undefined ? policy : { ...policy, intervalUs: us },
  ),
  'extraction.idle': setting(spanOrNone(), ({ idleUs: _, ...policy }, { us }) =>
    us === undefined ? policy : { ...policy, idleUs: us },
  ),
  'extraction.tokens': setting(wholeNumber(0, 1_000_000, ' (0: not counted)'), (policy, tokens) => ({
    ...policy,
    tokens,
  })),
  'extraction.tool_blocks': setting(choice('exclude', 'include'), (policy, word) => ({
    ...policy,
    includesToolBlocks: word === 'include',
  })),
  /** Read by the extractor itself. */
  'extraction.model': setting(MODEL_NAME, (policy) => policy),
} as const;

/** Settings of extraction by their dotted keys: those of a namespace override those of the server. */
export const EXTRACTION_SETTINGS: Readonly<Record<string, SettingKind<unknown>>> = Object.fromEntries(
  Object.entries(DEFINITIONS).map(([key, { kind }]) => [key, kind as SettingKind<unknown>]),
);

/** The policy that settings make of the default one; later layers win. Settings that are not known are passed over. */
export function extractionPolicyOf(...layers: readonly ReadonlyMap<string, string>[]): ExtractionPolicy {
  const settings = new Map(layers.flatMap((layer) => [...layer]));
  let policy = DEFAULT_EXTRACTION_POLICY;
  for (const [key, definition] of Object.entries(DEFINITIONS)) {
    const text = settings.get(key);
    if (text !== undefined) policy = definition.apply(policy, text);
  }
  return policy;
}
