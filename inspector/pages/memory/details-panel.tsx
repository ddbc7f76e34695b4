import type { ComponentChildren } from 'preact';
import type { Timestamp } from '../../../gen/ts/google/protobuf/timestamp.ts';
import type { Memory, Place } from '../../../gen/ts/mneme/v1/memory.ts';
import { idOf } from '../../api/names.ts';
import { tierText, tierWord } from '../../ui/enums.ts';
import { bytesText, countText } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Time } from '../../ui/time.tsx';
import { listAddress } from '../memories/address.ts';
import { quoted } from '../memories/memory-row.tsx';

type Entry = readonly [label: string, value: ComponentChildren];

/** Everything that a memory has beside text and content; values lead to the memories that share them. */
export function DetailsPanel({ namespace, memory }: { readonly namespace: string; readonly memory: Memory }) {
  const like = (field: string, value: string) =>
    value !== '' && (
      <a href={listAddress(namespace, `${field} = ${quoted(value)}`)}>
        <PlainText text={value} />
      </a>
    );
  const { scope, source, compaction } = memory;
  const entries: readonly Entry[] = [
    ['Id', <code key="id">{idOf(memory.name)}</code>],
    ['Type', like('type', memory.type)],
    ['Tags', memory.tags.length > 0 && <Tags namespace={namespace} tags={memory.tags} />],
    ['Speaker', like('speaker', source?.speaker ?? '')],
    ['Source', like('source_uri', source?.uri ?? '')],
    ['Stored by', like('source_origin', source?.origin ?? '')],
    ['Project', like('project', scope?.project ?? '')],
    ['Agent type', like('agent_type', scope?.agentType ?? '')],
    ['Agent', like('agent', scope?.agent ?? '')],
    ['Session', like('session', scope?.session ?? '')],
    ['Step', memory.step !== undefined && String(memory.step)],
    ['Happened', time(memory.eventTime)],
    ['Stored', time(memory.createTime)],
    ['Changed', time(memory.updateTime)],
    ['Valid from', time(memory.validFrom)],
    ['Valid until', time(memory.validUntil)],
    ['Expires', time(memory.expireTime)],
    [
      'Tier',
      <a key="tier" href={listAddress(namespace, `tier = "${tierWord(memory.tier)}"`)}>
        {tierText(memory.tier)}
      </a>,
    ],
    ['Importance', memory.importance],
    ['Priority', memory.priority],
    ['Recalled', readsOf(memory)],
    ['Place', memory.place && placeText(memory.place)],
    ['Lost', compaction && `${bytesText(compaction.contentBytes)} before; keys ${compaction.droppedKeys.join(', ')}`],
    ['Version', String(memory.version)],
    ['SHA-256', <code key="checksum">{memory.checksum}</code>],
  ];
  return (
    <section class="panel details">
      <h2>Details</h2>
      <dl class="facts">
        {entries
          .filter(([, value]) => value !== false && value !== undefined && value !== '')
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

function Tags({ namespace, tags }: { readonly namespace: string; readonly tags: readonly string[] }) {
  return (
    <span class="row">
      {tags.map((tag) => (
        <a key={tag} class="badge" href={listAddress(namespace, `tags = ${quoted(tag)}`)}>
          <PlainText text={tag} max={60} />
        </a>
      ))}
    </span>
  );
}

function time(at: Timestamp | undefined) {
  return at && <Time at={at} />;
}

function readsOf({ retrievalCount, lastAccessTime }: Memory) {
  if (retrievalCount === 0) return 'never';
  return (
    <>
      {countText(retrievalCount)} {retrievalCount === 1 ? 'time' : 'times'}
      {lastAccessTime && (
        <>
          , last <Time at={lastAccessTime} />
        </>
      )}
    </>
  );
}

function placeText({ point, geo, location, room, region }: Place): string {
  const coordinates = point && `(${[point.x, point.y, ...(point.z === undefined ? [] : [point.z])].join(', ')})`;
  const onEarth = geo && `${geo.latitudeDeg}° N, ${geo.longitudeDeg}° E`;
  return [room, location, region, coordinates, onEarth].filter((part) => part !== '' && part !== undefined).join(' · ');
}
