// GET /documentation/NAME: the short address of a guide.
import { besideIssuers } from '#app/_doors/plain.ts';
import { htmlPage } from '#app/_html/html-page.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { guidePath, MOVED, movedTo } from '../_guides/addresses.ts';
import { findGuide } from '../_guides/guides.tsx';

export const dynamic = 'force-dynamic';

/** Returns the 404 page. */
const missing = htmlPage(async () => null);

type Context = { params: Promise<{ guide: string }> };

export async function GET(request: Request, context: Context): Promise<Response> {
  const { guide } = await context.params;
  const id = findGuide(guide) ? guide : ownValue(MOVED, guide);
  if (id === undefined) return missing(request, context);
  return besideIssuers(() => movedTo(guidePath(id)))(request);
}
