import type { WatchState } from '../api/watch.ts';

/** Whether changes arrive by themselves. */
export function WatchBadge({ state }: { readonly state: WatchState }) {
  switch (state.kind) {
    case 'live':
      return <span class="badge good">live</span>;
    case 'connecting':
      return <span class="badge">connecting …</span>;
    case 'broken':
      return (
        <span class="badge warn" title={state.failure.message}>
          changes do not arrive
        </span>
      );
  }
}
