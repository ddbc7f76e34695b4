import { useState } from 'preact/hooks';
import { goWith } from '../../app/router.ts';
import type { Settings, Side } from './settings.ts';

interface SettingsFormProps {
  readonly label: string;
  readonly side: Side;
  readonly settings: Settings;
}

/** Settings of a recall as controls; each change is a new address. */
export function SettingsForm({ label, side, settings }: SettingsFormProps) {
  const set = (name: keyof Settings, value: string) => goWith({ [`${side}${name}`]: value }, { replace: true });
  const number = (name: 'limit' | 'minRelevance' | 'diversity', text: string, range: Range) => (
    <label>
      {text}
      <input
        type="number"
        {...range}
        value={settings[name]}
        onChange={({ currentTarget }) => set(name, currentTarget.value)}
      />
    </label>
  );
  return (
    <fieldset class="recall-settings">
      <legend>{label}</legend>
      {number('limit', 'Hits', { min: 1, max: 1000, step: 1, placeholder: '10' })}
      {number('minRelevance', 'Least relevance', { min: 0, max: 1, step: 0.01, placeholder: 'of the namespace' })}
      {number('diversity', 'Diversity', { min: 0, max: 1, step: 0.1, placeholder: '0' })}
      <label>
        Order
        <select value={settings.ranking} onChange={({ currentTarget }) => set('ranking', currentTarget.value)}>
          <option value="">learned</option>
          <option value="fusion">by the ranks of the lanes</option>
        </select>
      </label>
      <label>
        Group
        <select value={settings.groupBy} onChange={({ currentTarget }) => set('groupBy', currentTarget.value)}>
          <option value="">every memory</option>
          <option value="session">best of each session</option>
        </select>
      </label>
      <label class="time-control">
        As of
        <input
          type="datetime-local"
          value={settings.asOf}
          onChange={({ currentTarget }) => set('asOf', currentTarget.value)}
        />
      </label>
      <TextSetting label="Filter" value={settings.filter} set={(value) => set('filter', value)} />
    </fieldset>
  );
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly placeholder: string;
}

interface TextSettingProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
}

/** A text that applies when the field is left, or with Enter. */
function TextSetting({ label, value, set }: TextSettingProps) {
  const [text, setText] = useState(value);
  return (
    <label class="wide">
      {label}
      <input
        value={text}
        placeholder={'Such as type = "fact"'}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onChange={() => set(text.trim())}
      />
    </label>
  );
}
