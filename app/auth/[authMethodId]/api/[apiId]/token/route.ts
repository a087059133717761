import { protocolRoute } from '#app/_doors/door.ts';
import { handleToken } from '#lib/oauth/token.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute(
  '/auth/:authMethodId/api/:apiId/token',
  { POST: handleToken },
);
