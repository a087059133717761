// The page after a failed sign-in at a broker: what happened, and what to do next.
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { renderPage } from '#lib/http/page.ts';
import { html } from '#lib/http/respond.ts';
import { log } from '#lib/kit/log.ts';
import type { Plain } from '#lib/language/message.ts';
import { wordsOf } from '#lib/language/words.ts';
import { settings } from '#lib/settings/settings.ts';
import type { Interaction } from '../authorize-request/interaction.ts';
import { loggablePath } from '../errors/to-oauth-error.ts';
import { continueLocation } from './form.ts';
import { interactionWords } from './page-words.ts';

export type BrokerTrouble = 'refused' | 'unavailable' | 'used' | 'unknown';

const WORDS: Record<BrokerTrouble, { status: number; heading: Plain; message: Plain }> = {
  refused: {
    status: 400,
    heading: 'sign_in.not_signed_in',
    message: 'sign_in.not_confirmed',
  },
  unavailable: {
    status: 503,
    heading: 'errors.moment',
    message: 'sign_in.broker_silent',
  },
  used: {
    status: 400,
    heading: 'factor.done_before',
    message: 'errors.used_step',
  },
  unknown: {
    status: 400,
    heading: 'errors.link',
    message: 'errors.elsewhere_or_late',
  },
};

/** `interaction`: the pending authorize request of this browser, where it is known. */
export function brokerPage(
  trouble: BrokerTrouble,
  request: HttpRequest,
  interaction: Interaction | null,
  headers: Record<string, string> = {},
): Answer {
  const { status, heading, message } = WORDS[trouble];
  log().info(
    { request_id: request.requestId, status, path: loggablePath(request) },
    wordsOf('en').t(message),
  );
  const giveUp = trouble === 'unavailable' ? ({ unavailable: true } as const) : ({ denied: true } as const);
  const again = interaction?.console;
  const ways =
    again !== undefined
      ? { link: { href: `${settings().baseUrl}${again}`, label: 'frame.try_again' as const } }
      : interaction
        ? {
            link: {
              href: continueLocation(interaction),
              label: trouble === 'used' ? ('frame.continue' as const) : ('frame.try_again' as const),
            },
            otherLink: {
              href: continueLocation({ ...interaction, ...giveUp }),
              label: 'frame.back' as const,
            },
          }
        : { link: { href: `${settings().baseUrl}/`, label: 'frame.what_this_is' as const } };
  const words = interactionWords(request.headers, interaction);
  const { requestId } = request;
  const body = renderPage({ title: heading, heading, message, requestId, ...ways }, words);
  const later = status === 503 ? { 'retry-after': '2' } : {};
  return html(status, body, { https: settings().secureCookies, words, headers: { ...later, ...headers } });
}
