import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { CommandLog, StoredSnapshot } from '../command-log.ts';
import type { SharedPosition } from '../shared-position.ts';
import { databaseFileIn } from '../sqlite/database.ts';
import { copyDatabase } from './copy-database.ts';

/** Far below the maximum of Redis, and large enough to compress well. */
const PART_BYTES = 4 << 20;

/** Prefix of the names of incomplete files. */
const UNFINISHED = 'shared-snapshot-';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/**
 * Stores a copy of the database of a folder in Redis; its position is that of the copy, unless another one is passed.
 */
export async function storeSnapshot(log: CommandLog, folder: string, at?: SharedPosition): Promise<StoredSnapshot> {
  const file = join(folder, `${UNFINISHED}${randomUUID()}.db`);
  try {
    const { position, stamp } = await copyDatabase({ folder, file, at });
    const id = randomUUID();
    const parts = await storeParts(log, id, file);
    return { id, position, stamp, parts };
  } finally {
    await rm(file, { force: true });
  }
}

async function storeParts(log: CommandLog, id: string, file: string): Promise<number> {
  const handle = await open(file);
  try {
    for (let at = 0; ; at++) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(PART_BYTES), 0, PART_BYTES, at * PART_BYTES);
      if (bytesRead === 0) return at;
      await log.putPart(id, at, await compress(buffer.subarray(0, bytesRead)));
    }
  } finally {
    await handle.close();
  }
}

/** Restores the database of a snapshot in a folder without one. False where the snapshot is deleted. */
export async function fetchSnapshot(log: CommandLog, { id, parts }: StoredSnapshot, folder: string): Promise<boolean> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${UNFINISHED}${randomUUID()}.db`);
  const handle = await open(file, 'w');
  try {
    for (let at = 0; at < parts; at++) {
      const part = await log.part(id, at);
      if (!part) return false;
      await handle.write(await decompress(part));
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(file, databaseFileIn(folder));
  return true;
}

/** Deletes incomplete files of a process that ended early. */
export async function dropUnfinished(folder: string): Promise<void> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  for (const name of names) if (name.startsWith(UNFINISHED)) await rm(join(folder, name), { force: true });
}
