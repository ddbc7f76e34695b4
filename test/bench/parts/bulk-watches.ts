import { setTimeout as sleep } from 'node:timers/promises';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { RecallServiceService, WatchMemoriesRequest } from '../../../gen/ts/mneme/v1/recall_service.ts';
import { MessageReader } from '../load/message-reader.ts';
import { RawTransport } from '../load/raw-transport.ts';

const { path } = RecallServiceService.watchMemories;
/** Field of WatchMemoriesResponse. */
const PROGRESS = 5;
const UNREAD_MS = 2000;
const AFTER_MS = 1000;

/** Reads every change of a namespace from revision 1 to the newest one, again and again, at full speed. */
export async function watchAgain(address: string, parent: string, until: Promise<void>): Promise<void> {
  const isOver = endOf(until);
  while (!isOver()) {
    const transport = await RawTransport.open(address);
    await new Promise<void>((resolve, reject) => {
      const reader = new MessageReader((message) => {
        if (isProgress(message) || isOver()) resolve();
      });
      const onEnd = (): void => reject(new Error(`${path}: the server has ended a watch`));
      transport.listen(path, requestOf(parent), (bytes) => reader.read(bytes), onEnd);
    });
    transport.close();
  }
}

/** Opens watches from revision 1 on, reads none of them, and disconnects, again and again. */
export async function watchUnread(address: string, parent: string, count: number, until: Promise<void>): Promise<void> {
  const isOver = endOf(until);
  while (!isOver()) {
    const transport = await RawTransport.open(address);
    for (let watch = 0; watch < count; watch++) transport.listen(path, requestOf(parent), ignore, ignore);
    transport.pause();
    await Promise.race([sleep(UNREAD_MS), until]);
    transport.close();
    await sleep(AFTER_MS);
  }
}

const ignore = (): void => undefined;

function requestOf(parent: string): Uint8Array {
  return WatchMemoriesRequest.encode(WatchMemoriesRequest.fromPartial({ parent, startRevision: 1n })).finish();
}

/** Without decoding the changes: the reader shares the cores with the server. */
function isProgress(message: Uint8Array): boolean {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === PROGRESS) return true;
    reader.skip(type, field);
  }
  return false;
}

function endOf(until: Promise<void>): () => boolean {
  let isOver = false;
  void until.then(() => {
    isOver = true;
  });
  return () => isOver;
}
