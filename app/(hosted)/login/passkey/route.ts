import { protocolRoute } from '#app/_doors/door.ts';
import { handlePasskeySignIn } from '#lib/oauth/pages/sign-in.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute('/login/passkey', {
  POST: handlePasskeySignIn,
});
