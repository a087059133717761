import { protocolRoute } from '#app/_doors/door.ts';
import { handleOwnBrokerForm, handleOwnBrokerRedirect } from '#lib/oauth/broker.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute(
  '/auth/callback/:authMethodId',
  { GET: handleOwnBrokerRedirect, POST: handleOwnBrokerForm },
);
