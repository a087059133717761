import { protocolRoute } from '#app/_doors/door.ts';
import { handleConsent } from '#lib/oauth/pages/consent.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute('/consent/submit', {
  POST: handleConsent,
});
