import { protocolRoute } from '#app/_doors/door.ts';
import { handleContinue } from '#lib/oauth/pages/continue.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute('/continue', {
  GET: handleContinue,
});
