import { protocolRoute } from '#app/_doors/door.ts';
import { handleNewPassword } from '#lib/oauth/pages/second-step.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute('/new-password/submit', {
  POST: handleNewPassword,
});
