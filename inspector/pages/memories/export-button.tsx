import { useEffect, useRef, useState } from 'preact/hooks';
import { exportMemories } from '../../api/calls.ts';
import { asFailure, type CallFailure } from '../../api/failure.ts';
import { namespaceName } from '../../api/names.ts';
import { countText } from '../../ui/format.ts';
import { Failure } from '../../ui/states.tsx';
import { exportLine } from './export-line.ts';

type Progress = { readonly sentCount: number; readonly stop: AbortController };

/** Writes the memories that the filter selects into a file of JSON lines, which `mneme import` reads. */
export function ExportButton({ namespace, filter }: { readonly namespace: string; readonly filter: string }) {
  const [progress, setProgress] = useState<Progress>();
  const [failure, setFailure] = useState<CallFailure>();
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const run = async () => {
    const stop = new AbortController();
    running.current = stop;
    setFailure(undefined);
    setProgress({ sentCount: 0, stop });
    try {
      const lines: string[] = [];
      const draft = { parent: namespaceName(namespace), filterText: filter };
      for await (const { memories, sentCount } of exportMemories(draft, stop.signal)) {
        lines.push(memories.map((memory) => `${exportLine(memory)}\n`).join(''));
        setProgress({ sentCount, stop });
      }
      save(new Blob(lines, { type: 'application/jsonl' }), `${namespace}.jsonl`);
    } catch (error) {
      if (!stop.signal.aborted) setFailure(asFailure(error));
    }
    setProgress(undefined);
  };
  return (
    <>
      {progress ? (
        <button type="button" onClick={() => progress.stop.abort()}>
          Stop the export ({countText(progress.sentCount)})
        </button>
      ) : (
        <button type="button" onClick={() => void run()}>
          Export{filter === '' ? '' : ' these'}
        </button>
      )}
      {failure && <Failure failure={failure} />}
    </>
  );
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
