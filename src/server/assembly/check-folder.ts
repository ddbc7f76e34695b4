import { FolderError } from '../../storage/sqlite/driver-error.ts';
import { refuseOtherUse } from '../../storage/sqlite/view-folder.ts';
import type { Config } from '../config/config.ts';

type FolderSettings = Pick<Config, 'data' | 'postgresUrl'>;

/** Fails with FolderError where a server of these settings may not use the data folder. Changes nothing. */
export function refuseFolder({ data, postgresUrl }: FolderSettings): void {
  refuseOtherUse(data, { isOfView: postgresUrl !== '' });
}

/** Why a server of these settings refuses the data folder, in one line; `undefined` where it does not. */
export function folderRefusal(settings: FolderSettings): string | undefined {
  try {
    refuseFolder(settings);
    return undefined;
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    return error.message;
  }
}
