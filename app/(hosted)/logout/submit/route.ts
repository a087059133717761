import { protocolRoute } from '#app/_doors/door.ts';
import { handleLogout } from '#lib/oauth/sign-out.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute('/logout/submit', {
  POST: handleLogout,
});
