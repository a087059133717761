// The Next door of the protocol's addresses.
import { after } from 'next/server';
import { handleHttp } from '#lib/oauth/index.ts';
import { storeUsageIfDue } from '#lib/observability/index.ts';
import { settings } from '#lib/settings/index.ts';
import { doorTo } from './plain.ts';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = doorTo((request) => {
  // a host without lasting processes has no timer for it
  if (!settings().lasting) after(storeUsageIfDue);
  return handleHttp(request);
});
