import { protocolRoute } from '#app/_doors/door.ts';
import { handleUserinfo, handleUserinfoPost } from '#lib/oauth/userinfo.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute(
  '/auth/:authMethodId/api/:apiId/userinfo',
  { GET: handleUserinfo, POST: handleUserinfoPost },
);
