// The Next door of the table of endpoints, and of every address that has neither a row there nor a page.
import { after } from 'next/server';
import { noSuchPage } from '#app/_html/refusals.ts';
import { handleHttp, refuseMethodOfPage } from '#lib/oauth/endpoints.ts';
import { storeUsageIfDue } from '#lib/observability/metrics.ts';
import { settings } from '#lib/settings/settings.ts';
import { doorTo } from './plain.ts';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = doorTo(async (request) => {
  // a host without lasting processes has no timer for it
  if (!settings().lasting) after(storeUsageIfDue);
  return (await handleHttp(request)) ?? refuseMethodOfPage(request) ?? noSuchPage(request);
});
