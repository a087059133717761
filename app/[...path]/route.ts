// 404 for an address without a route file. The issuer answers at its own host, which a folder cannot name.
import { unlistedRoute } from '#app/_doors/door.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = unlistedRoute();
