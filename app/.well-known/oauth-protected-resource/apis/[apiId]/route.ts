import { protocolRoute } from '#app/_doors/door.ts';
import { handleResourceMetadata } from '#lib/oauth/metadata.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute(
  '/.well-known/oauth-protected-resource/apis/:apiId',
  { GET: handleResourceMetadata },
);
