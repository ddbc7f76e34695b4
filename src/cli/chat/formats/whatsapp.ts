import { zoneNamed } from '../../../memory/time/zone.ts';
import type { Findings } from '../found-chat.ts';
import { MessageList } from '../message-list.ts';

export type DateOrder = 'dmy' | 'mdy' | 'ymd';

interface Options {
  readonly dateOrder: DateOrder | undefined;
  /** IANA name of the zone of the phone. */
  readonly timeZone: string;
}

/** Left-to-right and right-to-left marks, and the mark of byte order. */
const MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
const SPACE = '[ \\u00a0\\u202f]';
/** Android: `31/12/23, 21:05 - Ada: text`; iOS: `[31/12/2023, 9:05:33 PM] Ada: text`. */
const LINE = new RegExp(
  `^(?<open>\\[)?(?<first>\\d{1,4})[./-]${SPACE}?(?<second>\\d{1,2})[./-]${SPACE}?(?<third>\\d{2,4})\\.?,?${SPACE}+` +
    `(?:(?:à|um|at|kl\\.?|alle|om|a las)${SPACE}+)?(?<hour>\\d{1,2})[:.](?<minute>\\d\\d)(?:[:.](?<second2>\\d\\d))?` +
    `${SPACE}*(?<half>[AaPp]\\.?${SPACE}?[Mm]\\.?)?(?:\\]${SPACE}?|${SPACE}[-–]${SPACE})(?<rest>.*)$`,
  's',
);
const SAID = /^(?<name>[^:\n]{1,120}?): ?(?<text>.*)$/s;
const OMITTED = [
  /^<(?:[^<>\n]{3,60})>$/,
  /^(?:image|photo|video|video note|audio|sticker|gif|document|contact card|imagen|imagem|bild|vidéo)\s+(?:omitted|omitida?|weggelassen|absente?)$/i,
  /^[^\n]*\b(?:omitted|weggelassen|omitid[oa]|omis|absente?)$/i,
];
/** A file beside the text, with its caption on the lines after it. */
const ATTACHED =
  /^(?:<[^<>\n]*?: ?(?<ios>[^<>\n]+)>|(?<android>[^\n]+\.[A-Za-z0-9]{2,5}) \([^()\n]+\))(?:\n(?<caption>.*))?$/s;
const DELETED = /^(?:You deleted this message|This message was deleted)\.?$/;
const EDITED = /\s*<(?:This message was edited|Diese Nachricht wurde bearbeitet)>$/;

interface Entry {
  readonly parts: Readonly<Record<string, string | undefined>>;
  rest: string;
  /** iOS marks what WhatsApp itself says. */
  readonly isMarked: boolean;
}

export function isWhatsApp(text: string): boolean {
  return text
    .slice(0, 4000)
    .split(/\r?\n/)
    .slice(0, 8)
    .some((line) => LINE.test(line.replace(MARKS, '')));
}

/** The messages of a text that WhatsApp exports: all people are users with their names. */
export function readWhatsApp(text: string, id: string, findings: Findings, options: Options): void {
  const entries = entriesOf(text);
  const order = options.dateOrder ?? orderOf(entries, findings);
  const list = new MessageList(findings);
  for (const entry of entries) {
    const said = SAID.exec(entry.rest)?.groups;
    const text = said?.['text'] ?? '';
    const isOfApp = !said || (entry.isMarked && /^\u200e/.test(text) && kindOfMedia(unmarked(text)) === undefined);
    if (isOfApp) findings.skip('line of WhatsApp itself');
    else
      addMessage(
        unmarked(said['name'] ?? ''),
        unmarked(text),
        timeOf(entry.parts, order, options.timeZone),
        list,
        findings,
      );
  }
  const { messages } = list;
  findings.add({ id, title: id, messages, idIsOfFile: true, isPart: true });
}

function entriesOf(text: string): Entry[] {
  const entries: Entry[] = [];
  for (const line of text.split(/\r?\n/)) {
    // Marks stay in the text: they tell what is of WhatsApp itself.
    const groups = LINE.exec(line.replace(/^[\u200e\u200f\ufeff\u202a-\u202e]+/, ''))?.groups;
    const last = entries.at(-1);
    if (groups) entries.push({ parts: groups, rest: groups['rest'] ?? '', isMarked: groups['open'] !== undefined });
    else if (last) last.rest += `\n${line}`;
  }
  for (const entry of entries) entry.rest = entry.rest.trimEnd();
  return entries;
}

function unmarked(text: string): string {
  return text.replace(MARKS, '').trim();
}

function addMessage(name: string, said: string, time: Date | undefined, list: MessageList, findings: Findings): void {
  const media = kindOfMedia(said);
  if (DELETED.test(said)) findings.skip('deleted message');
  if (media) findings.skip(media.kind);
  const text = media ? media.caption : DELETED.test(said) ? '' : said.replace(EDITED, '');
  list.add({ role: 'user', name: name.replace(/^~\s*/, ''), text, time });
}

/** A picture or another file in place of a text, with the caption that stays. */
function kindOfMedia(text: string): { readonly kind: string; readonly caption: string } | undefined {
  if (EDITED.test(text)) return undefined;
  const attached = ATTACHED.exec(text)?.groups;
  if (attached)
    return { kind: kindOfFile(attached['ios'] ?? attached['android'] ?? ''), caption: attached['caption'] ?? '' };
  if (!OMITTED.some((pattern) => pattern.test(text)) || text.length > 80) return undefined;
  return { kind: kindOfFile(text), caption: '' };
}

function kindOfFile(name: string): string {
  if (/\.(?:jpe?g|png|heic|gif)|image|photo|bild/i.test(name)) return 'image';
  if (/\.(?:opus|m4a|mp3|ogg|aac)|audio/i.test(name)) return 'audio';
  if (/\.(?:mp4|mov|3gp)|video|vidéo/i.test(name)) return 'video';
  if (/\.webp|sticker/i.test(name)) return 'sticker';
  return /\.[a-z0-9]{2,5}$|document/i.test(name) ? 'file' : 'media';
}

/** The order of day and month, which the text does not say: the only one that makes dates of all lines, in order of time. */
function orderOf(entries: readonly Entry[], findings: Findings): DateOrder {
  if (entries.some(({ parts }) => (parts['first'] ?? '').length === 4)) return 'ymd';
  const fits = (order: DateOrder) => entries.every(({ parts }) => timeOf(parts, order, 'UTC') !== undefined);
  const breaks = (order: DateOrder) =>
    breaksOf(entries.map(({ parts }) => timeOf(parts, order, 'UTC')?.getTime() ?? 0));
  const [isDay, isMonth] = [fits('dmy'), fits('mdy')];
  if (isDay !== isMonth) return isDay ? 'dmy' : 'mdy';
  const difference = breaks('dmy') - breaks('mdy');
  if (difference !== 0) return difference < 0 ? 'dmy' : 'mdy';
  const isAmerican = entries.some(({ parts }) => /m/i.test(parts['half'] ?? '') && (parts['third'] ?? '').length === 2);
  const order = isAmerican ? 'mdy' : 'dmy';
  const [said, other] = isAmerican ? ['month/day', 'dmy'] : ['day/month', 'mdy'];
  findings.notes.add(`dates may be read in two ways: taken as ${said}; --date-order ${other} reads them the other way`);
  return order;
}

function breaksOf(times: readonly number[]): number {
  return times.filter((time, at) => time < (times[at - 1] ?? time)).length;
}

function timeOf(parts: Entry['parts'], order: DateOrder, timeZone: string): Date | undefined {
  const numbers = [parts['first'], parts['second'], parts['third']].map(Number);
  const [year = 0, month = 0, day = 0] = [order.indexOf('y'), order.indexOf('m'), order.indexOf('d')].map(
    (at) => numbers[at],
  );
  const half = (parts['half'] ?? '').charAt(0).toLowerCase();
  const hour = Number(parts['hour']);
  const hour24 = half === '' ? hour : (hour % 12) + (half === 'p' ? 12 : 0);
  const [minute, second] = [Number(parts['minute']), Number(parts['second2'] ?? 0)];
  const wallMs = Date.UTC(year < 100 ? 2000 + year : year, month - 1, day, hour24, minute, second);
  const isReal = new Date(wallMs).getUTCMonth() === month - 1 && day > 0 && hour24 < 24 && minute < 60 && second < 60;
  return isReal ? new Date(zoneNamed(timeZone).instantUs(wallMs * 1000) / 1000) : undefined;
}
