import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { CommandFailure, INPUT_REFUSED } from '../failure.ts';

/** Limits of an archive: it is read entry by entry, and an entry as a whole. */
export const ZIP = { entriesMax: 100_000, entryBytesMax: 512 * 1024 * 1024, directoryBytesMax: 64 * 1024 * 1024 };

export interface ZipEntry {
  /** Path in the archive. Nothing is ever written to it. */
  readonly name: string;
  /** Bytes when it is unpacked, as the archive says. */
  readonly bytes: number;
  read(): Promise<Buffer>;
}

const END = { signature: 0x06054b50, bytes: 22, commentBytesMax: 65_535 };
const ENTRY = { signature: 0x02014b50, bytes: 46 };
const HEADER = { signature: 0x04034b50, bytes: 30 };
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
/** A field of 32 bits with this value has its number elsewhere: the archive is in the format ZIP64. */
const ELSEWHERE = 0xffffffff;

const inflate = promisify(inflateRaw);

export function isZip(start: Buffer): boolean {
  return start.length >= 4 && start.readUInt32LE(0) === HEADER.signature;
}

/** Opens a ZIP archive and uses its entries, folders left out. */
export async function withZip<Result>(
  path: string,
  use: (entries: readonly ZipEntry[]) => Promise<Result>,
): Promise<Result> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    return await use(await entriesOf(file, path, size));
  } finally {
    await file.close();
  }
}

async function entriesOf(file: FileHandle, path: string, size: number): Promise<ZipEntry[]> {
  const tailBytes = Math.min(size, END.bytes + END.commentBytesMax);
  const tail = await bytesAt(file, size - tailBytes, tailBytes);
  let end = tail.length - END.bytes;
  while (end >= 0 && tail.readUInt32LE(end) !== END.signature) end--;
  if (end < 0) throw refused(path, 'is no whole ZIP archive: its directory is missing');
  const [count, bytes, at] = [tail.readUInt16LE(end + 10), tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (at === ELSEWHERE || count === 0xffff)
    throw refused(path, 'is a ZIP archive above 4 GB or 65,534 files: unpack it and import its folder');
  if (bytes > ZIP.directoryBytesMax || at + bytes > size) throw refused(path, 'is a damaged ZIP archive');
  const directory = await bytesAt(file, at, bytes);
  const entries: ZipEntry[] = [];
  for (let from = 0, n = 0; n < count; n++) {
    if (from + ENTRY.bytes > directory.length || directory.readUInt32LE(from) !== ENTRY.signature) {
      throw refused(path, 'is a damaged ZIP archive');
    }
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => directory.readUInt16LE(from + field));
    const nameEnd = from + ENTRY.bytes + (nameBytes ?? 0);
    const name = directory.toString('utf8', from + ENTRY.bytes, nameEnd);
    if (!name.endsWith('/')) entries.push(entryOf(file, { path, name, size }, directory.subarray(from)));
    from = nameEnd + (extraBytes ?? 0) + (commentBytes ?? 0);
  }
  return entries;
}

interface Place {
  readonly path: string;
  readonly name: string;
  /** Bytes of the archive. */
  readonly size: number;
}

function entryOf(file: FileHandle, { path, name, size }: Place, record: Buffer): ZipEntry {
  const [flags, method] = [record.readUInt16LE(8), record.readUInt16LE(10)];
  const [packed, bytes, header] = [record.readUInt32LE(20), record.readUInt32LE(24), record.readUInt32LE(42)];
  const of = `${path}: ${name}`;
  return {
    name,
    bytes,
    async read() {
      if ((flags & ENCRYPTED) !== 0) throw refused(of, 'is encrypted: unpack the archive and import its folder');
      if (method !== STORED && method !== DEFLATED)
        throw refused(of, `is packed by method ${method}, which is not read: unpack the archive and import its folder`);
      if (bytes > ZIP.entryBytesMax) throw refused(of, `must be at most ${ZIP.entryBytesMax} bytes, got ${bytes}`);
      if (header + HEADER.bytes + packed > size) throw refused(of, 'is damaged');
      const head = await bytesAt(file, header, HEADER.bytes);
      if (head.readUInt32LE(0) !== HEADER.signature) throw refused(of, 'is damaged');
      const from = header + HEADER.bytes + head.readUInt16LE(26) + head.readUInt16LE(28);
      const content = await bytesAt(file, from, packed);
      if (method === STORED) return content;
      try {
        // An entry that says less than it holds ends here: it never takes more memory than it says.
        return await inflate(content, { maxOutputLength: Math.max(1, bytes) });
      } catch (error) {
        throw refused(of, `cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  };
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function refused(what: string, problem: string): CommandFailure {
  return new CommandFailure(`${what} ${problem}`, { exitCode: INPUT_REFUSED });
}
