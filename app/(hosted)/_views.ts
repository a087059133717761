// The proxy asks for a hosted page's view to know the status of the answer, and the page shows that same view. Next runs
// both in one process; on a host that runs the proxy elsewhere the page makes the view itself.
import { processWide } from '#lib/kit/index.ts';
import { viewConsent, viewLogout, viewSignIn } from '#lib/oauth/index.ts';

/** At most this many views are kept for pages that were not rendered yet; older ones are dropped. */
const MAX_WAITING = 200;

function madeOnce<Input, View>(name: string, make: (input: Input) => Promise<View>) {
  const slot = processWide<Map<string, View>>(`view ${name}`);
  return {
    /** For the proxy, which chooses the request id. */
    async prepare(requestId: string, input: Input): Promise<View> {
      const view = await make(input);
      slot.value ??= new Map();
      if (slot.value.size >= MAX_WAITING) slot.value.delete(slot.value.keys().next().value ?? '');
      slot.value.set(requestId, view);
      return view;
    },
    /** For the page. */
    async take(requestId: string, input: Input): Promise<View> {
      const prepared = slot.value?.get(requestId);
      slot.value?.delete(requestId);
      return prepared ?? make(input);
    },
  };
}

export const signInView = madeOnce('sign-in', viewSignIn);
export const consentView = madeOnce('consent', viewConsent);
export const logoutView = madeOnce('logout', viewLogout);
