// GET /{admin,developer}/preview/sign-in: the sign-in or the consent page with the colours of the address, for a frame
// of a brand's form. Colours that cannot be read are shown as the nearest that can, and a meta element names them.

import type { HostedFrame } from '#app/_html/hosted-frame.ts';
import { markupOf } from '#app/_html/render.ts';
import { ConsentPage } from '#app/(hosted)/consent/consent-page.tsx';
import { SignInPage } from '#app/(hosted)/login/sign-in-page.tsx';
import { isLanguage, wordsOf } from '#lib/language/index.ts';
import { Refused, readApi, readClient } from '#lib/management/index.ts';
import { brandStyle, previewPages } from '#lib/oauth/index.ts';
import { type BrandValues, nearestReadable, type Theme } from '#lib/registry/index.ts';
import type { ConsoleActor } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { LEADS_NOWHERE, previewRoute } from './answer.ts';

type Query = (name: string) => string | undefined;

const COLOUR = /^#[0-9a-f]{6}$/;

export const signInPreview = previewRoute(async (actor, query) => {
  const of = await wearerOf(actor, query);
  const language = query('in') ?? '';
  const theme: Theme = query('theme') === 'dark' ? 'dark' : 'light';
  const typed = { accent: colourIn(query('accent')), accent_dark: colourIn(query('accent_dark')) };
  const accent = typed.accent && nearestReadable('light', typed.accent);
  const brand: BrandValues = {
    logo: query('logo') === 'none' ? null : (of.brand?.logo ?? null),
    accent,
    accent_dark: accent && typed.accent_dark && nearestReadable('dark', typed.accent_dark),
  };
  const pages = await previewPages({ ...of.id, brand });
  // this process will know it in a moment
  if (pages === null) throw new Refused('client.unknown', { client: query('client') ?? '' });
  const words = { ...wordsOf(isLanguage(language) ? language : 'en'), theme };
  const frame: HostedFrame = { words, serviceName: settings().serviceName, kept: [], languages: [] };
  const shown = { requestId: '', frame, submitTo: '#' };
  const isConsent = query('page') === 'consent';
  const content = isConsent ? (
    <ConsentPage view={pages.consent} {...shown} />
  ) : (
    <SignInPage view={pages.signIn} {...shown} />
  );
  const style = brandStyle(pages.colours);
  const made = theme === 'light' ? [typed.accent, brand.accent] : [typed.accent_dark, brand.accent_dark];
  const head = LEADS_NOWHERE + (made[0] === made[1] ? '' : `<meta name="shown-with" content="${made[1]}">\n`);
  const title = words.t(isConsent ? 'consent.title' : 'sign_in.heading');
  return { body: markupOf({ title, content, style, head, words }), preview: 'page', style };
});

const colourIn = (text: string | undefined): string | null => {
  const colour = (text ?? '').trim().toLowerCase();
  return COLOUR.test(colour) ? colour : null;
};

/** Refused where the actor may not see it. */
async function wearerOf(actor: ConsoleActor, query: Query) {
  const clientId = query('client');
  if (clientId !== undefined) {
    const { brand } = await readClient(actor, { clientId });
    return { id: { clientId }, brand };
  }
  const apiId = query('api') ?? '';
  const { brand } = await readApi(actor, { id: apiId });
  return { id: { apiId }, brand };
}
