import { protocolRoute } from '#app/_doors/door.ts';
import { handleExchange } from '#lib/oauth/exchange/handler.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute('/auth/token', {
  POST: handleExchange,
});
