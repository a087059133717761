import { protocolRoute } from '#app/_doors/door.ts';
import { handleRegistration } from '#lib/oauth/registration.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute(
  '/auth/:authMethodId/api/:apiId/register',
  { POST: handleRegistration },
);
