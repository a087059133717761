// GET /{admin,developer}/preview/sign-in: sign-in or consent page in the colours that the address contains, for a
// frame in the brand form. The nearest readable colour replaces an unreadable colour, and a meta element names it.
import type { HostedFrame } from '#app/_components/frame.tsx';
import { renderMarkup } from '#app/_html/html-page.ts';
import { ConsentPage } from '#app/(hosted)/consent/consent-page.tsx';
import { RegisterPage, SignInPage } from '#app/(hosted)/pages.tsx';
import { readApi } from '#lib/catalogue/apis/operations.ts';
import { readClient } from '#lib/catalogue/clients/operations.ts';
import { htmlDocument } from '#lib/http/page.ts';
import { isLanguage } from '#lib/language/negotiate.ts';
import { withOwnTexts, wordsOf } from '#lib/language/words.ts';
import { Refused } from '#lib/management/refused.ts';
import { brandStyle } from '#lib/oauth/pages/frame.ts';
import { previewPages } from '#lib/oauth/pages/preview.ts';
import { type BrandValues, nearestReadable, type Theme } from '#lib/registry/brand.ts';
import { type OwnTexts, optionalTexts, TEXT_SLOT_NAMES, withTexts } from '#lib/registry/own-texts.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import { LEADS_NOWHERE, previewRoute } from './preview-answer.ts';

type Query = (name: string) => string | undefined;

const COLOUR = /^#[0-9a-f]{6}$/;

export const signInPreview = previewRoute(async (actor, query) => {
  const of = await wearerOf(actor, query);
  const tag = query('in') ?? '';
  const theme: Theme = query('theme') === 'dark' ? 'dark' : 'light';
  const typed = { accent: colourIn(query('accent')), accent_dark: colourIn(query('accent_dark')) };
  const accent = typed.accent && nearestReadable('light', typed.accent);
  const brand: BrandValues = {
    logo: query('logo') === 'none' ? null : (of.brand?.logo ?? null),
    accent,
    accent_dark: accent && typed.accent_dark && nearestReadable('dark', typed.accent_dark),
  };
  const language: Language = isLanguage(tag) ? tag : 'en';
  const texts = query('texts') === 'typed' ? textsIn(language, of.texts, query) : of.texts;
  const pages = await previewPages({ ...of.id, brand, texts });
  // this process has not loaded the client yet
  if (pages === null) throw new Refused('client.unknown', { client: query('client') ?? '' });
  const words = { ...withOwnTexts(wordsOf(language), pages.textsIn(language)), theme };
  const frame: HostedFrame = { words, serviceName: settings().serviceName, kept: [], languages: [] };
  const pageProps = { frame, submitTo: '#' };
  const page = pageIn(query('page'));
  const content = {
    consent: <ConsentPage view={pages.consent} {...pageProps} />,
    register: <RegisterPage view={pages.register} {...pageProps} />,
    'sign-in': <SignInPage view={pages.signIn} {...pageProps} />,
  }[page];
  const style = brandStyle(pages.colours);
  const title = `${words.t(TITLES[page])} · ${frame.serviceName}`;
  const accents = theme === 'light' ? [typed.accent, brand.accent] : [typed.accent_dark, brand.accent_dark];
  const head =
    LEADS_NOWHERE + (accents[0] === accents[1] ? '' : `<meta name="shown-with" content="${accents[1]}">\n`);
  return {
    body: htmlDocument({ title, head, style, words, body: renderMarkup(content) }),
    preview: 'page',
    style,
  };
});

const TITLES = {
  consent: 'consent.title',
  register: 'sign_in.create',
  'sign-in': 'sign_in.heading',
} as const;

const pageIn = (name: string | undefined): keyof typeof TITLES =>
  name === 'consent' || name === 'register' ? name : 'sign-in';

/**
 * Returns the texts for the preview: typed texts replace stored texts in this language. If a text is invalid, the
 * default is shown.
 */
function textsIn(language: Language, stored: OwnTexts | null, query: Query): OwnTexts | null {
  let texts = stored;
  for (const slot of SLOTS_OF_PAGES) {
    const next = optionalTexts.safeParse(withTexts(texts, language, { [slot]: query(slot) ?? '' }));
    if (next.success) texts = next.data;
  }
  return texts;
}
const SLOTS_OF_PAGES = TEXT_SLOT_NAMES.filter((name) => /^(?:sign_in|registration)_/.test(name));

const colourIn = (text: string | undefined): string | null => {
  const colour = (text ?? '').trim().toLowerCase();
  return COLOUR.test(colour) ? colour : null;
};

/** Returns the API or client whose brand is previewed. Throws if the actor cannot see it. */
async function wearerOf(actor: ConsoleActor, query: Query) {
  const clientId = query('client');
  if (clientId !== undefined) {
    const { brand, texts } = await readClient(actor, { clientId });
    return { id: { clientId }, brand, texts };
  }
  const apiId = query('api') ?? '';
  const { brand, texts } = await readApi(actor, { id: apiId });
  return { id: { apiId }, brand, texts };
}
