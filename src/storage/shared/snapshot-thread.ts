import { parentPort, workerData } from 'node:worker_threads';
import { type CopyRequest, copyNow } from './copy-database.ts';

parentPort?.postMessage(copyNow(workerData as CopyRequest));
