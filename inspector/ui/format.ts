import type { Timestamp } from '../../gen/ts/google/protobuf/timestamp.ts';
import { dateOf } from '../api/times.ts';

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

export function countText(count: number): string {
  return count.toLocaleString('en');
}

/** `1 memory`, `2 memories`. */
export function countOf(count: number, one: string, many: string): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Time of this place to the second: `2026-11-29 22:10:03`. */
export function timeText(time: Timestamp): string {
  const date = dateOf(time);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `3 d 4 h`, the two largest units. */
export function durationText(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  const shown = parts.slice(first < 0 ? parts.length - 1 : first).slice(0, 2);
  return shown.map(([value, unit]) => `${value} ${unit}`).join(' ');
}
