import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { splitByWords } from './words.ts';

/** Longer texts are shown in part first. */
const SHOWN_MAX = 8000;

/** Signs without a picture of their own, and those that change the direction of what follows. */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]/;

interface PlainTextProps {
  readonly text: string;
  /** Longer texts are cut. */
  readonly max?: number;
  /** Words to mark, as whole words; see `splitByWords`. */
  readonly marked?: (word: string) => boolean;
}

/** Text of memories as text and nothing else: isolated in its direction, hidden signs made visible. */
export function PlainText({ text, max = Number.POSITIVE_INFINITY, marked }: PlainTextProps) {
  const shown = text.length > max ? `${cutAt(text, max)}…` : text;
  if (!marked) return <bdi>{withSigns(shown)}</bdi>;
  return (
    <bdi>
      {splitByWords(shown).map((part, at) =>
        at % 2 === 1 && marked(part) ? <mark key={at}>{withSigns(part)}</mark> : withSigns(part),
      )}
    </bdi>
  );
}

function withSigns(text: string): ComponentChildren {
  if (!HIDDEN.test(text)) return text;
  return text.split(new RegExp(`(${HIDDEN.source})`)).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <span key={at} class="hidden-sign" title="A sign that is not shown">
        {nameOf(part)}
      </span>
    ),
  );
}

function nameOf(sign: string): string {
  return `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Never inside of a character. */
export function cutAt(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** A text in full; the rest of a long one on demand. */
export function LongText({ text, max = SHOWN_MAX }: { readonly text: string; readonly max?: number }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > max;
  return (
    <>
      <div class="prose">
        <PlainText text={text} max={isCut ? max : Number.POSITIVE_INFINITY} />
      </div>
      {isCut && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </>
  );
}
