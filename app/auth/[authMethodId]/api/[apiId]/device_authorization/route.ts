import { protocolRoute } from '#app/_doors/door.ts';
import { handleDeviceAuthorization } from '#lib/oauth/device.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = protocolRoute(
  '/auth/:authMethodId/api/:apiId/device_authorization',
  { POST: handleDeviceAuthorization },
);
