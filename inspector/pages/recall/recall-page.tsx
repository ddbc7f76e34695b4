import { useState } from 'preact/hooks';
import type { Parameters } from '../../app/navigation.ts';
import { goWith, usePlace } from '../../app/router.ts';
import { CodeTabs } from '../../ui/code.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Answer } from './answer.tsx';
import { CasesPanel } from './cases-panel.tsx';
import { codesFor } from './codes.ts';
import { ContextPanel } from './context-panel.tsx';
import { type Side, settingsIn } from './settings.ts';
import { SettingsForm } from './settings-form.tsx';
import { WhyNot } from './why-not.tsx';

/** A question, what is found and why, with one setting or two side by side; the address has all of it. */
export function RecallPage({ parameters }: { readonly parameters: Parameters }) {
  const { namespace = '' } = parameters;
  const { query } = usePlace();
  const question = query.get('q') ?? '';
  const isCompared = query.get('compare') === 'yes';
  const settings = settingsIn(query, '');
  const sides: readonly Side[] = isCompared ? ['', 'b.'] : [''];
  return (
    <Page title="Recall">
      <Question key={question} question={question} />
      <div class="recall-sides">
        {sides.map((side) => (
          <div key={side} class="stack">
            <SettingsForm
              label={isCompared ? `Settings ${side === '' ? 'A' : 'B'}` : 'Settings'}
              side={side}
              settings={settingsIn(query, side)}
            />
            {question !== '' && (
              <Answer
                side={isCompared ? (side === '' ? 'A' : 'B') : ''}
                namespace={namespace}
                question={question}
                settings={settingsIn(query, side)}
              />
            )}
          </div>
        ))}
      </div>
      <div class="row">
        <button type="button" onClick={() => goWith({ compare: isCompared ? '' : 'yes' })}>
          {isCompared ? 'One setting' : 'Compare two settings'}
        </button>
      </div>
      {question === '' ? (
        <Empty>Ask a question: the hits come with the reason why each was found.</Empty>
      ) : (
        <>
          <WhyNot namespace={namespace} question={question} settings={settings} />
          <ContextPanel namespace={namespace} question={question} settings={settings} />
          <section class="panel">
            <h2>The same call in a program</h2>
            <CodeTabs label="Recall" codes={codesFor(location, namespace, question, settings)} />
          </section>
        </>
      )}
      <CasesPanel namespace={namespace} question={question} />
    </Page>
  );
}

function Question({ question }: { readonly question: string }) {
  const [text, setText] = useState(question);
  return (
    <search>
      <form
        class="filter question"
        onSubmit={(event) => {
          event.preventDefault();
          goWith({ q: text.trim() });
        }}
      >
        <input
          data-search
          aria-label="Question"
          placeholder="What do you want to know?"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit" class="primary">
          Ask
        </button>
      </form>
    </search>
  );
}
