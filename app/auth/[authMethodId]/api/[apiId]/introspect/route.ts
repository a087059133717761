import { protocolRoute } from '#app/_doors/door.ts';
import { handleIntrospect } from '#lib/oauth/introspection.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute(
  '/auth/:authMethodId/api/:apiId/introspect',
  { POST: handleIntrospect },
);
