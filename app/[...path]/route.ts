// Returns 404 for an address without a route file. Requests to an issuer with a separate host also reach this file,
// because folders of `app` cannot contain a host.
import { unlistedRoute } from '#app/_doors/door.ts';

export const dynamic = 'force-dynamic';
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = unlistedRoute();
