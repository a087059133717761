import { protocolRoute } from '#app/_doors/door.ts';
import { handleForwardAuth } from '#lib/oauth/forward-auth.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute('/verify/:apiId', {
  GET: handleForwardAuth,
});
