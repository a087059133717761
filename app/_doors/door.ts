// Route handlers for Next: each protocol address with its handler, and the 404 of an unknown address.
import { after } from 'next/server';
import { handleRow, handleUnlisted, refuseMethodOfPage } from '#lib/oauth/endpoints.ts';
import { storeUsageIfDue } from '#lib/observability/metrics.ts';
import { settings } from '#lib/settings/settings.ts';
import { doorTo } from './plain.ts';
import { noSuchPage } from './refusals.ts';

/**
 * Returns the handlers of a route file for every method. Throws if the endpoint table has other handlers for the
 * pattern.
 */
export const protocolRoute = (...row: Parameters<typeof handleRow>) => nextDoor(handleRow(...row));

export const unlistedRoute = () => nextDoor(handleUnlisted);

const nextDoor = (handle: typeof handleUnlisted) =>
  doorTo(async (request) => {
    // on a host without long-running processes no timer stores the usage counts, so each response does
    if (!settings().lasting) after(storeUsageIfDue);
    return (await handle(request)) ?? refuseMethodOfPage(request) ?? noSuchPage(request);
  });
