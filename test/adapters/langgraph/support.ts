import { MnemeSaver, MnemeStore } from '../../../clients/typescript/src/langgraph/index.ts';
import type { ConnectOptions } from '../../../clients/typescript/src/options.ts';
import { onCleanUp } from '../../client/support/clean-up.ts';
import { PATIENT_CLIENT } from '../../support/patient.ts';

/** A store that the test's clean-up stops. */
export function storeOf(address: string, connect: ConnectOptions = {}): MnemeStore {
  const store = new MnemeStore({ address, connect: { ...PATIENT_CLIENT, waitForReady: true, ...connect } });
  onCleanUp(() => store.stop());
  return store;
}

/** A checkpointer that the test's clean-up closes. */
export function saverOf(address: string, connect: ConnectOptions = {}): MnemeSaver {
  const saver = new MnemeSaver({ address, connect: { ...PATIENT_CLIENT, waitForReady: true, ...connect } });
  onCleanUp(() => saver.close());
  return saver;
}
