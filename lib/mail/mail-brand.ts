// Whose mail it is for a person who came from an application: the same as the page where they asked. By the registry as
// this process knows it, so that a mail costs no statement more.
import type { Words } from '#lib/language/index.ts';
import { shownBrand } from '#lib/registry/index.ts';
import { knownSnapshot } from '#lib/store/index.ts';
import { type MailBrand, namedIn } from './mail.ts';

/** The first line of a mail to a person who may not know the service. */
const MAX_NAME = 60;

function headline(name: string): string {
  const points = [...name];
  return points.length > MAX_NAME ? `${points.slice(0, MAX_NAME - 1).join('')}…` : name;
}

/** The request that the person came with. */
export type CameWith = { apiId: string; clientId: string | null };

/** The client's where it has one that people are shown, otherwise the API's; undefined: the service's own. */
export function mailBrand(request: CameWith | undefined): ((words: Words) => MailBrand) | undefined {
  const snapshot = knownSnapshot();
  const api = request && snapshot?.apis.get(request.apiId);
  if (!api) return undefined;
  const client = request.clientId === null ? undefined : snapshot?.clients.get(request.clientId);
  const own = client ? shownBrand(client, api.id) : null;
  const whose = client && own ? client : api.brand ? api : null;
  if (whose === null) return undefined;
  const accent = own?.accent ?? api.brand?.accent;
  return (words) => ({
    name: namedIn(words, headline(words.shown(whose.name).text)),
    ...(accent && { accent }),
  });
}
