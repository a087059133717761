import { protocolRoute } from '#app/_doors/door.ts';
import { handlePush } from '#lib/oauth/par.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute(
  '/auth/:authMethodId/api/:apiId/par',
  { POST: handlePush },
);
