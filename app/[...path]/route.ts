// Returns 404 for an address without a route file. An issuer with a separate host also answers through this file,
// because a folder cannot name a host.
import { unlistedRoute } from '#app/_doors/door.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = unlistedRoute();
