import { protocolRoute } from '#app/_doors/door.ts';
import { handleSignOut, handleSignOutPost } from '#lib/oauth/sign-out.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute(
  '/auth/:authMethodId/api/:apiId/logout',
  { GET: handleSignOut, POST: handleSignOutPost },
);
