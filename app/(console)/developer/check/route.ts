// GET /developer/check?value=…&kind=…&privateUseSchemes=… or &origin=…: checks a redirect address or an origin while the
// user types it.

import { besideIssuers, plainRequest, requestFacts } from '#app/_doors/plain.ts';
import { faultSentence, refusedInWords } from '#app/(console)/_kit/in-words.ts';
import { wordsOfPage } from '#app/(console)/_kit/page-language.ts';
import { type PageWords, pageWordsOf } from '#app/(console)/_texts/page-words.ts';
import { originFault, proposedRedirectUri, redirectUriFault } from '#lib/catalogue/clients/definition.ts';
import type { FaultText } from '#lib/kit/fault.ts';
import { findUnstorable } from '#lib/kit/text.ts';
import { asSentence } from '#lib/language/message.ts';
import { enter } from '#lib/management/operations.ts';
import { Refused } from '#lib/management/refused.ts';
import { readConsoleActor } from '#lib/sessions/console.ts';

export const dynamic = 'force-dynamic';

export const GET = besideIssuers(async (request) => {
  const plain = plainRequest(request);
  const actor = await readConsoleActor(plain.headers['cookie'], requestFacts(plain));
  const words = wordsOfPage('/developer', plain.headers, actor?.locale ?? null) ?? pageWordsOf('en');
  const { say } = words;
  if (!actor) return answer(401, say('Sign in again.'));
  try {
    await enter(actor, { action: 'clients.see-own' });
  } catch (error) {
    if (error instanceof Refused) return answer(403, refusedInWords(words, error));
    throw error;
  }
  const query = new URLSearchParams(plain.query);
  if (findUnstorable([...query])) return answer(400, say('The value contains a NUL character.'));
  const value = (query.get('value') ?? '').slice(0, 4000);
  if (query.has('origin')) return answer(200, inWords(words, originFault(value)));
  const kind = query.get('kind');
  const type = kind === 'browser' || kind === 'native' ? kind : 'web';
  const fault = redirectUriFault(value, type, query.get('privateUseSchemes') === 'on');
  return answer(200, inWords(words, fault), fault === null ? null : proposedRedirectUri(value, type));
});

const inWords = (words: PageWords, fault: FaultText | null): string | null =>
  fault && (faultSentence(words, fault.params ?? { text: fault.message }) ?? asSentence(fault.message));

function answer(status: number, fault: string | null, proposed: string | null = null): Response {
  return Response.json({ fault, proposed }, { status, headers: { 'cache-control': 'no-store' } });
}
