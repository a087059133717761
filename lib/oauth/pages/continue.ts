// GET /continue: a page that redirects automatically to the authorize endpoint or, after a sign-out, to the logout
// address.
import { type Answer, type HttpRequest, html } from '#lib/http/message.ts';
import { renderPage } from '#lib/http/page.ts';
import { parseForm } from '#lib/http/params.ts';
import { readBrowser } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { knownSnapshot } from '#lib/store/snapshot.ts';
import { openInteraction } from '../authorize/interaction.ts';
import { UnidentifiedRequest } from '../errors.ts';
import { issuerUrl } from '../issuer.ts';
import { openSignOut } from '../sign-out-request.ts';
import { ExpiredInteraction, pageWords, styleFor } from './frame.ts';

export async function handleContinue(request: HttpRequest): Promise<Answer> {
  const sealed = parseForm(request.query).values.get('interaction');
  const browser = readBrowser(request.headers['cookie']);
  const signOut = openSignOut(sealed, browser);
  const interaction = signOut ?? openInteraction(sealed, browser);
  if (interaction === 'expired') throw new ExpiredInteraction('the interaction is older than ten minutes');
  if (interaction === null) throw new UnidentifiedRequest('errors.started_elsewhere');
  const href = `${issuerUrl(interaction.authMethodId, interaction.apiId)}/${signOut ? 'logout' : 'authorize'}?interaction=${sealed}`;
  const clientId = 'query' in interaction ? new URLSearchParams(interaction.query).get('client_id') : null;
  const style = styleFor(knownSnapshot(), interaction.apiId, clientId);
  const words = pageWords(request.headers, sealed);
  const page = renderPage(
    {
      title: 'frame.one_moment',
      heading: 'frame.one_moment',
      message: 'frame.on_the_way',
      refresh: { href },
      style,
    },
    words,
  );
  return html(200, page, {
    https: settings().secureCookies,
    words,
    style,
    headers: { refresh: `0; url=${href}`, 'referrer-policy': 'no-referrer' },
  });
}
