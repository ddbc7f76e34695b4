import type { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import { idOf } from '../../api/names.ts';
import { tierText, tierWord } from '../../ui/enums.ts';
import { cutAt, PlainText } from '../../ui/plain-text.tsx';
import { Time } from '../../ui/time.tsx';
import { memoryAddress } from './address.ts';

/** More of a text is on no line of a list. */
const TEXT_MAX = 400;
const TAGS_SHOWN = 3;

/** What a list keeps of a memory: long texts are cut, so that a hundred thousand rows fit. */
export type Row = Omit<Memory, 'content' | 'embedding' | 'compaction'>;

export function rowOf({ content, embedding: _, compaction: __, ...memory }: Memory): Row {
  const { text } = memory;
  const shown = text === '' && content ? `(${content.mediaType})` : text;
  return { ...memory, text: shown.length > TEXT_MAX ? cutAt(shown, TEXT_MAX) : shown };
}

interface MemoryRowProps {
  readonly row: Row;
  readonly namespace: string;
  readonly isChosen: boolean;
  readonly isNew: boolean;
  readonly choose: (name: string, isChosen: boolean) => void;
  /** Adds a condition to the filter of the list. */
  readonly narrow: (condition: string) => void;
}

export function MemoryRow({ row, namespace, isChosen, isNew, choose, narrow }: MemoryRowProps) {
  const { name, text, type, source, scope, tags, tier, eventTime, supersededBy } = row;
  const id = idOf(name);
  return (
    <div class={isNew ? 'memory-row new' : 'memory-row'}>
      <input
        type="checkbox"
        aria-label={`Select ${id}`}
        checked={isChosen}
        onChange={({ currentTarget }) => choose(name, currentTarget.checked)}
      />
      <div class="memory-lines">
        <a class="cut memory-text" href={memoryAddress(namespace, id)}>
          <PlainText text={text === '' ? '(no text)' : text.replaceAll(/\s+/g, ' ')} />
        </a>
        <div class="memory-meta">
          {eventTime && <Time at={eventTime} />}
          <Chip label={type} hint="type" condition={`type = ${quoted(type)}`} narrow={narrow} />
          {source && source.speaker !== '' && (
            <Chip
              label={source.speaker}
              hint="speaker"
              condition={`speaker = ${quoted(source.speaker)}`}
              narrow={narrow}
            />
          )}
          {scope && scope.session !== '' && (
            <Chip
              label={scope.session}
              hint="session"
              condition={`session = ${quoted(scope.session)}`}
              narrow={narrow}
            />
          )}
          {scope && scope.agent !== '' && (
            <Chip label={scope.agent} hint="agent" condition={`agent = ${quoted(scope.agent)}`} narrow={narrow} />
          )}
          {tags.slice(0, TAGS_SHOWN).map((tag) => (
            <Chip key={tag} label={`#${tag}`} hint="tag" condition={`tags = ${quoted(tag)}`} narrow={narrow} />
          ))}
          {tags.length > TAGS_SHOWN && <span>+{tags.length - TAGS_SHOWN}</span>}
          {tierWord(tier) !== 'short_term' && (
            <Chip label={tierText(tier)} hint="tier" condition={`tier = "${tierWord(tier)}"`} narrow={narrow} />
          )}
          {supersededBy !== '' && <span class="badge warn">superseded</span>}
        </div>
      </div>
    </div>
  );
}

interface ChipProps {
  readonly label: string;
  readonly hint: string;
  readonly condition: string;
  readonly narrow: (condition: string) => void;
}

/** A value that narrows the list to memories that have it too. */
export function Chip({ label, hint, condition, narrow }: ChipProps) {
  return (
    <button type="button" class="badge" title={`Only this ${hint}`} onClick={() => narrow(condition)}>
      <span class="unseen">{hint} </span>
      <span class="cut">
        <PlainText text={label} max={40} />
      </span>
    </button>
  );
}

/** A text as filters write it. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}
