import { protocolRoute } from '#app/_doors/door.ts';
import { handleAuthorize, handleAuthorizePost } from '#lib/oauth/authorize.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute(
  '/auth/:authMethodId/api/:apiId/authorize',
  { GET: handleAuthorize, POST: handleAuthorizePost },
);
