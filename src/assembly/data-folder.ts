import { type Repair, type RepairOptions, repairFolder } from '../storage/sqlite/damage/repair.ts';
import { type DamagedMemory, type Verification, verifyFolder } from '../storage/sqlite/damage/verify.ts';

/** What commands do with a data folder themselves: a damaged one may keep a server from starting. */
export { type DamagedMemory, type Repair, type RepairOptions, repairFolder, type Verification, verifyFolder };
