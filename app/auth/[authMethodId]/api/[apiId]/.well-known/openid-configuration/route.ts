import { protocolRoute } from '#app/_doors/door.ts';
import { handleMetadata } from '#lib/oauth/metadata.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute(
  '/auth/:authMethodId/api/:apiId/.well-known/openid-configuration',
  { GET: handleMetadata },
);
