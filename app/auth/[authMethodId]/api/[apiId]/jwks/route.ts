import { protocolRoute } from '#app/_doors/door.ts';
import { handleJwks } from '#lib/oauth/metadata.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute(
  '/auth/:authMethodId/api/:apiId/jwks',
  { GET: handleJwks },
);
