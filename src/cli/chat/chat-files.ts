import { open, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { CommandFailure, INPUT_REFUSED } from '../failure.ts';
import { readStdin } from '../terminal.ts';
import { type ChatFormat, type ReadOptions, readChatText } from './chat-formats.ts';
import { readSlack, slackNames } from './formats/slack.ts';
import { Findings, type FoundChats } from './found-chat.ts';
import { idIn, listIn, objectIn, textIn } from './values.ts';
import { isZip, withZip } from './zip-file.ts';

/** Larger files are to be split: a file is read as a whole. */
const FILE_BYTES_MAX = 512 * 1024 * 1024;
const FOLDER_FILES_MAX = 100_000;
const READABLE = /\.(?:jsonl?|ndjson|txt|csv|html?|xml|md)$/i;

export interface ReadQuery {
  /** Id of the conversation; for a file with one alone. */
  readonly conversation?: string;
  /** Default: the one that the content has. */
  readonly format?: ChatFormat;
  readonly dateOrder?: ReadOptions['dateOrder'];
  readonly timeZone: string;
}

interface TextFile {
  /** Path in its folder or archive. */
  readonly name: string;
  readonly bytes: number;
  read(): Promise<Buffer>;
}

/** The conversations of a file, of a ZIP archive, or of a folder, in any format that is read, distinguished by their content. */
export async function readChats(path: string, query: ReadQuery): Promise<FoundChats> {
  const findings = new Findings();
  if (path === '-') readFileText(await readStdin(), 'stdin', 'chat', query, findings);
  else if ((await stat(path)).isDirectory()) await readAll(await filesIn(path), path, query, findings);
  else if (isZip(await startOf(path))) await withZip(path, (entries) => readAll(entries, path, query, findings));
  else await readAlone(path, query, findings);
  const found = findings.found();
  if (found.formats.length === 0) throw refused(`${path}: no chat that is read. ${READ}`);
  return query.conversation === undefined ? found : renamed(found, query.conversation, path);
}

const READ =
  'JSON lines of role and text are read, and exports of ChatGPT, Claude, Slack, Discord, Telegram (JSON) and WhatsApp, ' +
  'as they are or as ZIP. docs/guides/import-a-chat.md says how to get each';

function renamed(found: FoundChats, id: string, path: string): FoundChats {
  const [chat, ...others] = found.chats;
  if (others.length > 0) {
    throw refused(`${path}: has ${found.chats.length} conversations, which --conversation cannot name`);
  }
  return { ...found, chats: chat ? [{ ...chat, id, idIsOfFile: true }] : [] };
}

async function readAlone(path: string, query: ReadQuery, findings: Findings): Promise<void> {
  const { size } = await stat(path);
  if (size > FILE_BYTES_MAX) throw refused(`${path}: must be at most ${FILE_BYTES_MAX} bytes, got ${size}`);
  const text = decoded(await readFile(path), path);
  const wasRead = readFileText(text, path, idOf(resolve(path)), query, findings);
  if (!wasRead) throw refused(`${path}: ${reasonOf(text)}. ${READ}`);
}

/** Files of an archive or a folder: the channels of Slack have a file for each day, others are read one by one. */
async function readAll(files: readonly TextFile[], path: string, query: ReadQuery, findings: Findings): Promise<void> {
  const named = (name: string) => files.find((file) => basename(file.name) === name);
  const [users, channels] = [named('users.json'), named('channels.json')];
  const isSlack = channels !== undefined || (users !== undefined && files.some(({ name }) => DAY_FILE.test(name)));
  if (isSlack) return readSlackFiles(files, { users, channels }, findings);
  for (const file of files) {
    if (!READABLE.test(file.name) || file.bytes > FILE_BYTES_MAX) {
      findings.otherFiles.push(file.name);
      continue;
    }
    const isAlone = /^_?chat\.txt$/i.test(basename(file.name));
    const id = isAlone ? basename(path, extname(path)) : idOf(file.name);
    const text = decoded(await file.read(), file.name);
    if (!readFileText(text, file.name, id, { ...query, channel: await channelBeside(file, files) }, findings)) {
      findings.otherFiles.push(file.name);
    }
  }
}

/** `channel.json` beside the messages in a package of Discord. */
async function channelBeside(file: TextFile, files: readonly TextFile[]): Promise<ReadOptions['channel']> {
  const path = join(dirname(file.name), 'channel.json');
  const beside = /^messages\.(?:json|csv)$/.test(basename(file.name)) && files.find(({ name }) => name === path);
  if (!beside) return undefined;
  const { id, name, guild } = objectIn(JSON.parse(decoded(await beside.read(), beside.name)));
  return { id: idIn(id), title: [textIn(objectIn(guild).name), textIn(name)].filter((each) => each !== '').join(' #') };
}

const DAY_FILE = /([^/]+)\/\d{4}-\d\d-\d\d\.json$/;

async function readSlackFiles(
  files: readonly TextFile[],
  { users, channels }: { readonly users: TextFile | undefined; readonly channels: TextFile | undefined },
  findings: Findings,
): Promise<void> {
  const json = async (file: TextFile | undefined) =>
    file && (JSON.parse(decoded(await file.read(), file.name)) as unknown);
  const names = slackNames(await json(users));
  const ids = new Map(
    listIn(await json(channels)).map((each) => [textIn(objectIn(each).name), textIn(objectIn(each).id)]),
  );
  const days = new Map<string, unknown[]>();
  for (const file of files) {
    const channel = DAY_FILE.exec(file.name)?.[1];
    if (channel === undefined) {
      if (file !== users && file !== channels) findings.otherFiles.push(file.name);
    } else days.set(channel, [...(days.get(channel) ?? []), ...listIn(await json(file))]);
  }
  findings.formats.add('export of Slack');
  for (const [title, items] of days) {
    const id = ids.get(title);
    readSlack(items, { id: id ?? title, title, idIsOfFile: id === undefined, names }, findings);
  }
}

function readFileText(
  text: string,
  name: string,
  id: string,
  options: ReadQuery & Pick<ReadOptions, 'channel'>,
  findings: Findings,
): boolean {
  const format = readChatText(text, { ...options, name, id }, findings);
  if (format !== undefined) findings.formats.add(format);
  return format !== undefined;
}

/** The name without its ending; with its folder where it is the name of a day or the same in every folder. */
function idOf(path: string): string {
  const name = basename(path, extname(path));
  const isCommon = /^(?:\d{4}-\d\d-\d\d|_chat|messages|result)$/.test(name);
  return isCommon ? basename(dirname(path)) || name : name || 'chat';
}

async function filesIn(folder: string): Promise<TextFile[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  if (found.length > FOLDER_FILES_MAX)
    throw refused(`${folder}: must have at most ${FOLDER_FILES_MAX} files, got ${found.length}`);
  const files = found
    .filter((entry) => entry.isFile())
    .sort((a, b) => (join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1));
  return Promise.all(
    files.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return { name: path, bytes: (await stat(path)).size, read: () => readFile(path) };
    }),
  );
}

async function startOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** UTF-8, or UTF-16 with its mark, as Windows writes it. */
function decoded(bytes: Buffer, name: string): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw refused(`${name}: is no text of UTF-8. ${READ}`);
  }
}

function reasonOf(text: string): string {
  const start = text.trimStart().slice(0, 200);
  if (start === '') return 'is empty';
  if (start.startsWith('<')) return 'is a page or XML: export the chat as JSON';
  if (/^\{.*"source"|"eventTime"/s.test(start) && !start.includes('"role"'))
    return 'has memories: "mneme import" stores them';
  return 'has no chat that is read';
}

function refused(message: string): CommandFailure {
  return new CommandFailure(message, { exitCode: INPUT_REFUSED });
}
