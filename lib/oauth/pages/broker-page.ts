// The page after a failed sign-in at a broker: what happened, and what to do next.
import { type Answer, type HttpRequest, html, renderPage } from '#lib/http/index.ts';
import { log } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import type { Interaction } from '../authorize-request/index.ts';
import { loggablePath } from '../errors/index.ts';
import { continueLocation } from './form.ts';
import { interactionWords } from './page-words.ts';

export type BrokerTrouble = 'refused' | 'unavailable' | 'used' | 'unknown';

const WORDS: Record<BrokerTrouble, { status: number; heading: string; message: string }> = {
  refused: {
    status: 400,
    heading: 'You are not signed in',
    message: 'The service that you were sent to did not confirm who you are. You can try again.',
  },
  unavailable: {
    status: 503,
    heading: 'One moment, please',
    message: 'The service that signs you in is not answering. Try again in a moment.',
  },
  used: {
    status: 400,
    heading: 'This step is already done',
    message: 'You have come back to a part of a sign-in that was used before. You can go on from here.',
  },
  unknown: {
    status: 400,
    heading: 'This sign-in link does not work',
    message:
      'It was started in another browser, or more than ten minutes ago. Go back to the application and start again.',
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
  log().info({ request_id: request.requestId, status, path: loggablePath(request) }, message);
  const giveUp = trouble === 'unavailable' ? ({ unavailable: true } as const) : ({ denied: true } as const);
  const again = interaction?.console;
  const ways =
    again !== undefined
      ? { link: { href: `${settings().baseUrl}${again}`, label: 'Try again' } }
      : interaction
        ? {
            link: {
              href: continueLocation(interaction),
              label: trouble === 'used' ? 'Continue' : 'Try again',
            },
            otherLink: {
              href: continueLocation({ ...interaction, ...giveUp }),
              label: 'Back to the application',
            },
          }
        : { link: { href: `${settings().baseUrl}/`, label: 'What this is' } };
  const words = interactionWords(request.headers, interaction);
  const { requestId } = request;
  const body = renderPage({ title: heading, heading, message, requestId, ...ways }, words);
  const later = status === 503 ? { 'retry-after': '2' } : {};
  return html(status, body, { https: settings().secureCookies, words, headers: { ...later, ...headers } });
}
