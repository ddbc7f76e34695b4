import { useId, useRef, useState } from 'preact/hooks';
import { getNamespaceStatistics } from '../../api/calls.ts';
import { namespaceName } from '../../api/names.ts';
import { goWith } from '../../app/router.ts';
import { useAsked } from '../../ui/use-asked.ts';
import { completed, suggestionsFor } from './completion.ts';

const SHOWN_MAX = 8;

/** A filter as text, with completion of names and of types; Enter applies it. */
export function FilterField({ namespace, filter }: { readonly namespace: string; readonly filter: string }) {
  const [text, setText] = useState(filter);
  const [active, setActive] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  const types = useTypes(namespace);
  const shown = isOpen ? suggestionsFor(text, types).slice(0, SHOWN_MAX) : [];
  const take = (suggestion: string) => {
    setText(completed(text, suggestion));
    setActive(-1);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' && shown.length > 0) setActive((active + 1) % shown.length);
    else if (event.key === 'ArrowUp' && shown.length > 0) setActive((active + shown.length - 1) % shown.length);
    else if (event.key === 'Escape' && isOpen) setOpen(false);
    else if ((event.key === 'Enter' || event.key === 'Tab') && shown[active] !== undefined) take(shown[active]);
    else return;
    event.preventDefault();
  };
  return (
    <search>
      <form
        class="filter"
        onSubmit={(event) => {
          event.preventDefault();
          setOpen(false);
          goWith({ filter: text.trim() });
        }}
      >
        <input
          ref={field}
          data-search
          aria-label="Filter"
          placeholder={'Filter, such as type = "fact" AND tags:travel'}
          role="combobox"
          aria-expanded={shown.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={shown[active] === undefined ? undefined : `${list}-${active}`}
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setActive(-1);
            setOpen(true);
          }}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
        />
        {filter !== '' && (
          <button type="button" onClick={() => goWith({ filter: '' })}>
            Clear
          </button>
        )}
        <div id={list} role="listbox" aria-label="Completions" class={shown.length > 0 ? 'completions' : 'unseen'}>
          {shown.map((suggestion, at) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and the keys
            <div
              key={suggestion}
              id={`${list}-${at}`}
              role="option"
              aria-selected={at === active}
              // Before the field loses the focus.
              onMouseDown={(event) => {
                event.preventDefault();
                take(suggestion);
              }}
            >
              {suggestion}
            </div>
          ))}
        </div>
      </form>
    </search>
  );
}

function useTypes(namespace: string): readonly string[] {
  const { value } = useAsked(
    (signal) => getNamespaceStatistics({ name: namespaceName(namespace) }, signal),
    [namespace],
  );
  return value?.statistics?.types.map(({ type }) => type) ?? [];
}
