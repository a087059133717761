import { protocolRoute } from '#app/_doors/door.ts';
import { handleRegister } from '#lib/oauth/pages/register.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute('/register/submit', {
  POST: handleRegister,
});
