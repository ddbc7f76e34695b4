import { useState } from 'preact/hooks';
import { isTimeText, timestampOf } from '../../api/times.ts';
import { timeText } from '../../ui/format.ts';

interface TimeControlProps {
  readonly label: string;
  /** As the address has it; empty for now. */
  readonly value: string;
  /** Times at which something changes, ascending, in milliseconds. */
  readonly times: readonly number[];
  readonly set: (value: string) => void;
}

/** A time as a field, and as a slider over the times at which something changes; its right end is now. */
export function TimeControl({ label, value, times, set }: TimeControlProps) {
  const chosen = isTimeText(value) ? new Date(value).getTime() : undefined;
  const place =
    chosen === undefined
      ? times.length
      : Math.max(
          0,
          times.findLastIndex((time) => time <= chosen),
        );
  const [moved, setMoved] = useState<number>();
  const shown = moved ?? place;
  const textAt = (at: number) => {
    const time = moved === undefined ? (chosen ?? times[at]) : times[at];
    return at === times.length || time === undefined ? 'now' : timeText(timestampOf(new Date(time)));
  };
  const choose = (at: number) => {
    setMoved(undefined);
    const time = times[at];
    set(time === undefined ? '' : new Date(time).toISOString());
  };
  return (
    <div class="time-control">
      <label>
        {label}
        <input
          type="datetime-local"
          value={chosen === undefined ? '' : localText(chosen)}
          step="any"
          onChange={({ currentTarget }) => {
            const text = currentTarget.value;
            set(isTimeText(text) ? new Date(text).toISOString() : '');
          }}
        />
      </label>
      {times.length > 0 && (
        <div class="row small">
          <input
            type="range"
            aria-label={`${label}, a known time`}
            min={0}
            max={times.length}
            value={shown}
            aria-valuetext={textAt(shown)}
            onInput={({ currentTarget }) => setMoved(Number(currentTarget.value))}
            onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
          />
          <span class="quiet">{textAt(shown)}</span>
        </div>
      )}
    </div>
  );
}

/** As the field has it: the time of this place, without a zone. */
function localText(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
}
