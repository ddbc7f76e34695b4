import { isDeepStrictEqual } from 'node:util';
import { CONSOLIDATION_SETTINGS } from '../../src/memory/consolidation/consolidation-settings.ts';
import {
  DEFAULT_EXTRACTION_POLICY,
  EXTRACTION_SETTINGS,
  extractionPolicyOf,
} from '../../src/memory/extraction-settings.ts';
import { RECALL_SETTINGS, recallDefaultsOf } from '../../src/memory/recall-settings.ts';
import { CACHE_SETTINGS } from '../../src/memory/setting-kinds.ts';
import { DEFAULT_TIER_POLICY } from '../../src/memory/tier-policy.ts';
import { TIER_SETTINGS } from '../../src/memory/tier-settings.ts';
import { table } from '../api-docs/table.ts';

/** Not among the settings of a policy: it is as it came. */
const NOT_SET = 'not set';
/** By dotted key: the default and the effect. `{tier}` stands for every tier that has the setting. */
const ROWS: readonly (readonly [key: string, defaults: readonly string[], effect: string])[] = [
  ['{tier}.memory_limit', ['10000', '50000'], 'Most memories in the tier; more move down'],
  ['{tier}.bytes_limit', ['0', '0'], 'Most bytes of texts and contents in the tier; more move down'],
  ['{tier}.ttl', ['1h', '24h'], 'Time after which a memory moves down, unless it was read in focus'],
  ['{tier}.abstract_bytes', ['8192', '8192'], 'Most bytes of a text that ranking reads; all of its words are found'],
  ['{tier}.compression_level', ['3', '9'], 'Level of zstd for what is not scanned; 0: none'],
  ['{tier}.vector', ['bf16', 'i8'], 'Form of the vectors that recall compares; the exact vector is kept beside it'],
  ['{tier}.vector_dimension', ['0', '0'], 'How many leading values of a vector recall compares'],
  [
    '{tier}.drop_keys',
    [NOT_SET, NOT_SET],
    'Keys of JSON contents that are dropped **for good** when a memory comes in',
  ],
  ['{tier}.round_decimals', [NOT_SET, NOT_SET], 'Decimals that fractions in JSON contents are rounded to **for good**'],
  ['long_term.types', ['none'], 'Types that may move to long-term memory; none: all'],
  ['importance.reward_weight', ['0.4'], 'Weight of the reward in the importance'],
  ['importance.retrieval_weight', ['0.3'], 'Weight of how often a memory was retrieved'],
  ['importance.recency_weight', ['0.2'], 'Weight of how recently it was'],
  ['importance.surprise_weight', ['0.1'], 'Weight of the surprise; not all four may be 0'],
  ['importance.reward_max', ['10'], 'Reward that counts in full'],
  ['importance.retrieval_max', ['5'], 'Retrievals that count in full'],
  ['importance.recency', ['1d'], 'Time in which recency falls to 1/e'],
  ['importance.decay_factor', ['0.95'], 'What importance is multiplied by for every decay interval; 1: no decay'],
  ['importance.decay_interval', ['1d'], 'The decay interval'],
  ['promotion.retrieval_count', ['2'], 'Retrievals that a memory needs to move up when it is read in focus'],
  ['promotion.importance', ['0'], 'Importance that it needs'],
];
const OF_TYPES = [
  [
    '`type.{type}.{tier}.memory_limit`',
    'as for the tier',
    NOT_SET,
    'The same limit for memories of one type; at most 64 types',
  ],
  ['`type.{type}.{tier}.ttl`', 'as for the tier', NOT_SET, 'The same time for memories of one type'],
];
/** Of the server alone: their defaults are settings of its start. */
const CACHE: Readonly<Record<string, readonly [fallback: string, effect: string]>> = {
  'cache.entries': ['`--recall-cache-count`', 'Most answers of Recall that are cached'],
  'cache.bytes': ['`--recall-cache-bytes`', 'Most bytes of cached answers'],
  'cache.ttl': ['`--recall-cache-ttl-ms`', 'Longest time that an answer is cached'],
};

/** By key: the default and the effect. */
const EXTRACTION: Readonly<Record<string, readonly [fallback: string, effect: string]>> = {
  'extraction.extractor': [NOT_SET, 'Extractor of facts from conversations; not set: `--extractor`'],
  'extraction.turns': ['5', 'Messages of a conversation after which they are extracted'],
  'extraction.interval': ['none', 'Age at which the oldest message that waits is extracted'],
  'extraction.idle': ['30s', 'Time without a new message after which a conversation is extracted'],
  'extraction.tokens': ['4000', 'Tokens of the messages that wait, about, at which they are extracted'],
  'extraction.tool_blocks': ['exclude', 'Whether extractors see calls of tools and their results'],
  'extraction.model': [NOT_SET, 'Model that the extractor `model` asks; not set: `--extractor-model`'],
};

const CONSOLIDATION: Readonly<Record<string, readonly [fallback: string, effect: string]>> = {
  'consolidation.interval': ['none', 'Time between two consolidations in the background; looked at every minute'],
};

const RECALL: Readonly<Record<string, readonly [fallback: string, effect: string]>> = {
  'recall.time_zone': ['UTC', 'Zone of times in a text and of calendar periods'],
  'recall.min_relevance': [
    String(recallDefaultsOf().minRelevance),
    'Lowest relevance of what recalls and contexts find for a text; 0 leaves none out',
  ],
};

/** The table of the settings that change while the server runs. Fails when one is missing or has another default. */
export function namespaceSettings(): string {
  const rows = ROWS.flatMap(([pattern, defaults, effect]) => {
    const name = pattern.replace('{tier}.', '');
    const keys = Object.keys(TIER_SETTINGS).filter((key) => key === pattern || tierlessOf(pattern, key) === name);
    if (keys.length !== defaults.length) throw new Error(`${pattern}: ${keys.length} settings`);
    return keys.map((key, at) => rowOf(key, defaults[at] ?? '', effect));
  });
  const cache = Object.entries(CACHE_SETTINGS).map(([key, kind]) => {
    const [fallback = '', effect = ''] = CACHE[key] ?? [];
    return [`\`${key}\` (server only)`, kind.expected, fallback, effect];
  });
  const others = Object.entries({ ...CONSOLIDATION_SETTINGS, ...RECALL_SETTINGS }).map(([key, kind]) => {
    const [fallback = '', effect = ''] = CONSOLIDATION[key] ?? RECALL[key] ?? [];
    return [`\`${key}\``, kind.expected, `\`${fallback}\``, effect];
  });
  if (rows.length !== Object.keys(TIER_SETTINGS).length) throw new Error('a setting is not described');
  return table(['Key', 'Value', 'Default', 'Effect'], [...rows, ...OF_TYPES, ...extractionRows(), ...others, ...cache]);
}

function extractionRows(): string[][] {
  return Object.entries(EXTRACTION_SETTINGS).map(([key, kind]) => {
    const [fallback = '', effect = ''] = EXTRACTION[key] ?? [];
    const isDefault = isDeepStrictEqual(extractionPolicyOf(new Map([[key, fallback]])), DEFAULT_EXTRACTION_POLICY);
    if (effect === '' || (fallback !== NOT_SET && !isDefault)) throw new Error(`${key} is not described as it is`);
    return [`\`${key}\``, kind.expected, fallback === NOT_SET ? NOT_SET : `\`${fallback}\``, effect];
  });
}

function tierlessOf(pattern: string, key: string): string | undefined {
  return pattern.startsWith('{tier}.') ? /^(?:short_term|intermediate|long_term)\.(.+)$/.exec(key)?.[1] : undefined;
}

function rowOf(key: string, fallback: string, effect: string): string[] {
  const definition = TIER_SETTINGS[key];
  const isDefault = isDeepStrictEqual(definition?.apply(DEFAULT_TIER_POLICY, fallback), DEFAULT_TIER_POLICY);
  if (fallback !== NOT_SET && !isDefault) throw new Error(`${key} is not ${fallback} by default`);
  const expected = (definition?.kind.expected ?? '')
    .replace(String(Number.MAX_SAFE_INTEGER), '2^53 − 1')
    .replace(/a span of time above zero and up to 520w, such as 90s, 15m, 2h or 7d/, 'a span of time');
  return [`\`${key}\``, expected, fallback === NOT_SET ? NOT_SET : `\`${fallback}\``, effect];
}
