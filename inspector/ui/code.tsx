import { useState } from 'preact/hooks';

/** Code with a button that copies it. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <div class="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <button type="button" onClick={copy}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}

/** One of several codes that do the same, each under the name of its language. */
export function CodeTabs({
  label,
  codes,
}: {
  readonly label: string;
  readonly codes: Readonly<Record<string, string>>;
}) {
  const names = Object.keys(codes);
  const [chosen, choose] = useState(names[0] ?? '');
  return (
    <div class="stack">
      <div class="tabs" role="tablist" aria-label={label}>
        {names.map((name) => (
          <button key={name} type="button" role="tab" aria-selected={name === chosen} onClick={() => choose(name)}>
            {name}
          </button>
        ))}
      </div>
      <Code text={codes[chosen] ?? ''} label={`${label}: ${chosen}`} />
    </div>
  );
}
