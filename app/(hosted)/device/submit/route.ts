import { protocolRoute } from '#app/_doors/door.ts';
import { handleDevice } from '#lib/oauth/pages/device.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute('/device/submit', {
  POST: handleDevice,
});
