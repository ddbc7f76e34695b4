import { type BackupDone, type BackupOptions, makeBackup } from '../../storage/sqlite/backup/make-backup.ts';
import type { BackupSummary } from '../../storage/sqlite/backup/manifest.ts';
import { type Restored, type RestoreOptions, restoreBackup } from '../../storage/sqlite/backup/restore-backup.ts';
import type { RestorePoint } from '../../storage/sqlite/backup/select-backup.ts';
import { listBackups, type VerifiedBackup, verifyBackups } from '../../storage/sqlite/backup/verify-backup.ts';
import type { DamagedSession } from '../../storage/sqlite/damage/lost-rows.ts';
import { type Repair, type RepairOptions, repairFolder } from '../../storage/sqlite/damage/repair.ts';
import { type DamagedMemory, isWhole, type Verification, verifyFolder } from '../../storage/sqlite/damage/verify.ts';

/** What commands do with a data folder themselves: a damaged one may keep a server from starting. */
/** Backups are read from the folder by a process of their own, beside a server. */
export {
  type BackupDone,
  type BackupOptions,
  type BackupSummary,
  type DamagedMemory,
  type DamagedSession,
  isWhole,
  listBackups,
  makeBackup,
  type Repair,
  type RepairOptions,
  type Restored,
  type RestoreOptions,
  type RestorePoint,
  repairFolder,
  restoreBackup,
  type Verification,
  type VerifiedBackup,
  verifyBackups,
  verifyFolder,
};
