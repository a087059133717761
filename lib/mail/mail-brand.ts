// Whose mail it is for a person who came from an application: the same as the page where they asked. By the registry as
// this process knows it, so that a mail costs no statement more.
import { type Words, withOwnTexts } from '#lib/language/words.ts';
import { shownBrand } from '#lib/registry/brand/brand.ts';
import { textsShown } from '#lib/registry/texts/own-texts.ts';
import { knownSnapshot } from '#lib/store/registry/snapshot.ts';
import type { SnapshotApi, SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { type MailBrand, namedIn, shortened } from './mail.ts';

/** The first line of a mail to a person who may not know the service. */
const MAX_NAME = 60;

/** The request that the person came with. */
export type CameWith = { apiId: string; clientId: string | null };

/** What the API and client of that request give a mail: a brand (null: the service's), and texts in its language. */
export type MailDress = (words: Words) => { brand: MailBrand | null; words: Words };

/** Undefined: the service's own brand and words. */
export function mailBrand(request: CameWith | undefined): MailDress | undefined {
  const snapshot = knownSnapshot();
  const api = request && snapshot?.apis.get(request.apiId);
  if (!api) return undefined;
  const client = (request.clientId !== null && snapshot?.clients.get(request.clientId)) || null;
  return (words) => ({
    brand: brandOf(words, api, client),
    words: withOwnTexts(words, textsShown(words.language, api, client)),
  });
}

/** The client's where it has one that people are shown, otherwise the API's. */
function brandOf(words: Words, api: SnapshotApi, client: SnapshotClient | null): MailBrand | null {
  const own = client ? shownBrand(client, api.id) : null;
  const whose = client && own ? client : api.brand ? api : null;
  if (whose === null) return null;
  const accent = own?.accent ?? api.brand?.accent;
  return {
    name: namedIn(words, shortened(words.shown(whose.name).text, MAX_NAME)),
    ...(accent && { accent }),
  };
}
