import { protocolRoute } from '#app/_doors/door.ts';
import { handleBrokerForm, handleBrokerRedirect } from '#lib/oauth/broker.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute('/auth/callback/broker', {
  GET: handleBrokerRedirect,
  POST: handleBrokerForm,
});
