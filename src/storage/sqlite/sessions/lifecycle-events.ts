import type { Micros } from '../../../memory/memory.ts';
import type { Changes } from '../changes.ts';

export function appendLifecycleEvent(_changes: Changes, _namespaceKey: number, _body: string, _atUs: Micros): void {}
