import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { asFailure, type CallFailure } from '../api/failure.ts';
import { credentials } from '../api/token.ts';
import { useStore } from '../app/store.ts';

/** Answer of a call: neither value nor failure while it is awaited for the first time. */
export interface Asked<T> {
  readonly value?: T;
  readonly failure?: CallFailure;
  /** True while an answer is awaited. */
  readonly isAsking: boolean;
  again(): void;
}

interface State<T> {
  readonly value?: T;
  readonly failure?: CallFailure;
  readonly isAsking: boolean;
}

/**
 * Asks when the page opens, when one of `about` changes, and with other credentials; answers that come late are dropped.
 * The former answer stays until the next one is there, unless it is about something else.
 */
export function useAsked<T>(ask: (signal: AbortSignal) => Promise<T>, about: readonly unknown[]): Asked<T> {
  const token = useStore(credentials);
  const [state, setState] = useState<State<T>>({ isAsking: true });
  const [round, setRound] = useState(0);
  const former = useRef<readonly unknown[] | undefined>(undefined);
  useEffect(() => {
    const stop = new AbortController();
    const isSame = former.current?.every((one, at) => one === about[at]) ?? false;
    former.current = about;
    setState((before) => (isSame ? { ...before, isAsking: true } : { isAsking: true }));
    ask(stop.signal).then(
      (value) => !stop.signal.aborted && setState({ value, isAsking: false }),
      (error: unknown) => !stop.signal.aborted && setState({ failure: asFailure(error), isAsking: false }),
    );
    return () => stop.abort();
  }, [...about, token, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  return { ...state, again };
}

/** Asks again and again, a pause after each answer, while the page is visible. */
export function usePolled<T>(ask: (signal: AbortSignal) => Promise<T>, everyMs: number): Asked<T> {
  const asked = useAsked(ask, []);
  const { isAsking, again } = asked;
  useEffect(() => {
    if (isAsking) return undefined;
    const timer = setTimeout(() => !document.hidden && again(), everyMs);
    const onVisible = () => !document.hidden && again();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [isAsking, again, everyMs]);
  return asked;
}
